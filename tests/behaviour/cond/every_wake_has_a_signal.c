/* SPDX-License-Identifier: MIT */
/* Proves: no wait returns without a signal, and all return with the mutex held.
   (CV-06) */
#include "test.h"

#define WAITERS 8
#define THREADS 2
#define SIGNALS TEST_SIZE(20000, 2000)

static tuco_mutex m;
static tuco_cond c;
static tuco_wg end;
static int inside; /* under m, as all below */
static long waiting;
static long signals;
static long wakes;
static bool over;

static void wait_often(void *arg) {
    (void)arg;
    tuco_mutex_lock(&m);
    while (!over) {
        waiting++;
        tuco_cond_wait(&c, &m);
        ASSERT_EQ(inside++, 0);
        ASSERT_LE(++wakes, signals);
        inside--;
    }
    tuco_mutex_unlock(&m);
    tuco_wg_done(&end);
}

/* Sends one signal for each waiter that is known to be in the queue. */
static void signal_often(void *arg) {
    (void)arg;
    for (int i = 0; i < SIGNALS; i++) {
        tuco_mutex_lock(&m);
        if (waiting > 0) {
            waiting--;
            signals++;
            tuco_cond_signal(&c);
        }
        tuco_mutex_unlock(&m);
        tuco_yield();
    }
    tuco_mutex_lock(&m);
    over = true;
    signals += waiting;
    tuco_cond_broadcast(&c);
    tuco_mutex_unlock(&m);
}

TEST(every_wake_has_a_signal) {
    struct test_thread threads[THREADS];
    ASSERT_EQ(tuco_start(), 0);
    tuco_wg_add(&end, WAITERS + THREADS);
    for (int i = 0; i < WAITERS; i++) {
        ASSERT_EQ(tuco_go(wait_often, NULL), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        test_thread_start(&threads[i], wait_often, NULL);
    }
    signal_often(NULL);
    tuco_wg_wait(&end);
    ASSERT_EQ(wakes, signals);
    for (int i = 0; i < THREADS; i++) {
        test_thread_join(&threads[i]);
    }
    ASSERT_EQ(tuco_stop(TUCO_NEVER), 0);
}
