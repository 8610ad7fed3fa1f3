/* SPDX-License-Identifier: MIT */
/* Proves: each signal wakes exactly one waiter, and a signal without a waiter is not
   remembered. (CV-01) */
#include "waiting.h"

static tuco_mutex m;
static tuco_cond c;
static tuco_wg end;
static int woken; /* under m */

static void wait_once(void *arg) {
    (void)arg;
    tuco_mutex_lock(&m);
    tuco_cond_wait(&c, &m);
    woken++;
    tuco_mutex_unlock(&m);
}

static void expect_woken(int n) {
    for (int i = 0; i < 100; i++) {
        tuco_yield();
        tuco_mutex_lock(&m);
        ASSERT_LE(woken, n);
        i -= woken < n; // not yet
        tuco_mutex_unlock(&m);
    }
}

static int run_main(void *arg) {
    (void)arg;
    tuco_cond_signal(&c);
    tuco_cond_broadcast(&c);
    for (int i = 0; i < 2; i++) {
        ASSERT_EQ(tuco_wg_go(&end, wait_once, NULL), 0);
    }
    test_await_waiting("sync.Cond.Wait", 2);
    for (int i = 0; i <= 2; i++) {
        expect_woken(i);
        tuco_mutex_lock(&m);
        tuco_cond_signal(&c); // the last signal finds no waiter
        tuco_mutex_unlock(&m);
    }
    tuco_wg_wait(&end);
    return 0;
}

TEST(signal_wakes_one) {
    RUN(run_main);
}
