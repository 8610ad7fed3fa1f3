/* SPDX-License-Identifier: MIT */
/* Proves: a goroutine that has waited for more than a millisecond gets the mutex before
   newcomers, in queue order; when the queue is empty, a newcomer can lock it at once.
   (MX-04) */
/* fixed procs */
/* not under race */
#include "waiting.h"

#define WAITERS 3

static tuco_mutex m;
static tuco_wg end;
static int order[WAITERS + 1];
static int acquired;

static void wait_and_note(void *arg) {
    tuco_mutex_lock(&m);
    order[acquired++] = (int)(intptr_t)arg;
    tuco_yield(); // main runs and requests the mutex
    tuco_mutex_unlock(&m);
}

/* One processor: the others run only when main yields or waits. */
static int run_main(void *arg) {
    (void)arg;
    tuco_mutex_lock(&m);
    for (intptr_t i = 0; i < WAITERS; i++) {
        ASSERT_EQ(tuco_wg_go(&end, wait_and_note, (void *)i), 0);
        test_await_waiting("sync.Mutex.Lock", (int)i + 1);
    }
    tuco_time since = tuco_now();
    while (tuco_now() - since <= 2 * TUCO_MILLISECOND) {
        // the length of the wait is what is tested
    }
    tuco_mutex_unlock(&m);           // wakes the first waiter, which does not run yet
    ASSERT(tuco_mutex_try_lock(&m)); // so main is faster than the waiter
    test_await_waiting("sync.Mutex.Lock", WAITERS); // it failed, and has waited long
    tuco_mutex_unlock(&m);
    ASSERT_EQ(acquired, 1); // the waiter ran in the unlock; it yielded with the lock
    ASSERT(!tuco_mutex_try_lock(&m));
    tuco_mutex_lock(&m);
    order[acquired++] = WAITERS;
    tuco_mutex_unlock(&m);
    tuco_wg_wait(&end);
    for (int i = 0; i <= WAITERS; i++) {
        ASSERT_EQ(order[i], i);
    }
    ASSERT(tuco_mutex_try_lock(&m)); // normal again
    tuco_mutex_unlock(&m);
    return 0;
}

TEST(starving_is_next) {
    test_setenv("TUCOPROCS", "1");
    RUN(run_main);
}
