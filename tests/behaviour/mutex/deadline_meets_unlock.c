/* SPDX-License-Identifier: MIT */
/* Proves: no lock and no wake-up is lost if deadlines pass while goroutines and threads
   hand the mutex around. */
#include "test.h"

#include <errno.h>

#define GOROUTINES 8
#define THREADS    2
#define ROUNDS     TEST_SIZE(2000, 300)

static tuco_mutex m;
static tuco_wg end;
static long counter; /* plain */
static atomic_long locked;

static void lock_with_deadlines(void *arg) {
    (void)arg;
    for (int i = 0; i < ROUNDS; i++) {
        tuco_time patience = i % 4 == 0 ? TUCO_NEVER : (i % 50) * TUCO_MICROSECOND;
        int r = tuco_mutex_lock_until(&m, tuco_deadline(patience));
        if (r != 0) {
            ASSERT_EQ(r, -ETIMEDOUT);
            continue;
        }
        counter++;
        atomic_fetch_add(&locked, 1);
        if (i % 8 == 0) {
            tuco_yield();
        }
        tuco_mutex_unlock(&m);
    }
    tuco_wg_done(&end);
}

TEST(deadline_meets_unlock) {
    struct test_thread threads[THREADS];
    ASSERT_EQ(tuco_start(), 0);
    tuco_wg_add(&end, GOROUTINES + THREADS);
    for (int i = 0; i < GOROUTINES; i++) {
        ASSERT_EQ(tuco_go(lock_with_deadlines, NULL), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        test_thread_start(&threads[i], lock_with_deadlines, NULL);
    }
    tuco_wg_wait(&end);
    ASSERT_EQ(counter, atomic_load(&locked));
    ASSERT(tuco_mutex_try_lock(&m));
    for (int i = 0; i < THREADS; i++) {
        test_thread_join(&threads[i]);
    }
    ASSERT_EQ(tuco_stop(TUCO_NEVER), 0);
}
