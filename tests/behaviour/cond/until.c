/* SPDX-License-Identifier: MIT */
/* Proves: a wait with a deadline ends at a signal, or at its deadline and not before, and
   returns with the mutex held. */
#include "waiting.h"

#include <errno.h>

#define WAIT (5 * TUCO_MILLISECOND)

static tuco_mutex m;
static tuco_cond c;
static tuco_wg end;

static void expect_timeout(void *arg) {
    (void)arg;
    tuco_time deadline = tuco_deadline(WAIT);
    tuco_mutex_lock(&m);
    ASSERT_EQ(tuco_cond_wait_until(&c, &m, deadline), -ETIMEDOUT);
    ASSERT(!tuco_mutex_try_lock(&m));
    ASSERT_GE(tuco_now(), deadline);
    ASSERT_EQ(tuco_cond_wait_until(&c, &m, 0), -ETIMEDOUT);
    ASSERT(!tuco_mutex_try_lock(&m));
    tuco_mutex_unlock(&m);
}

static void expect_signal(void *arg) {
    (void)arg;
    tuco_mutex_lock(&m);
    ASSERT_EQ(tuco_cond_wait_until(&c, &m, tuco_deadline(3600 * TUCO_SECOND)), 0);
    tuco_mutex_unlock(&m);
}

static int run_main(void *arg) {
    expect_timeout(arg);
    ASSERT_EQ(tuco_wg_go(&end, expect_signal, NULL), 0);
    ASSERT_EQ(tuco_wg_go(&end, expect_signal, NULL), 0);
    test_await_waiting("sync.Cond.Wait", 2);
    tuco_cond_broadcast(&c);
    tuco_wg_wait(&end);
    return 0;
}

TEST(until) {
    RUN(run_main);
}

TEST(until_on_thread) {
    expect_timeout(NULL);
}
