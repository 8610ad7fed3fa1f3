/* SPDX-License-Identifier: MIT */
/* Proves: a wait with a deadline ends when the counter is zero, or at the deadline and
   not before; a timeout leaves the group unchanged. */
#include "test.h"

#include <errno.h>

#define WAIT (5 * TUCO_MILLISECOND)

static tuco_wg end;

static void expect_timeout(tuco_wg *wg) {
    tuco_time deadline = tuco_deadline(WAIT);
    ASSERT_EQ(tuco_wg_wait_until(wg, deadline), -ETIMEDOUT);
    ASSERT_GE(tuco_now(), deadline);
    ASSERT_EQ(tuco_wg_wait_until(wg, 0), -ETIMEDOUT);
}

static void wait_with_deadlines(void *arg) {
    tuco_wg wg = {0};
    (void)arg;
    ASSERT_EQ(tuco_wg_wait_until(&wg, 0), 0);
    ASSERT_EQ(tuco_wg_wait_until(&wg, TUCO_NEVER), 0);
    tuco_wg_add(&wg, 2);
    expect_timeout(&wg);
    tuco_wg_done(&wg);
    expect_timeout(&wg);
    tuco_wg_done(&wg);
    ASSERT_EQ(tuco_wg_wait_until(&wg, 0), 0);
    tuco_wg_wait(&wg);
}

static void wait_long(void *arg) {
    ASSERT_EQ(tuco_wg_wait_until(arg, tuco_deadline(3600 * TUCO_SECOND)), 0);
}

static void wait_for_ever(void *arg) {
    ASSERT_EQ(tuco_wg_wait_until(arg, TUCO_NEVER), 0);
}

static int run_main(void *arg) {
    tuco_wg wg = {0};
    wait_with_deadlines(arg);
    tuco_wg_add(&wg, 1);
    for (int i = 0; i < 20; i++) {
        ASSERT_EQ(tuco_wg_go(&end, i % 2 == 0 ? wait_long : wait_for_ever, &wg), 0);
    }
    ASSERT_EQ(tuco_wg_wait_until(&end, tuco_deadline(WAIT)), -ETIMEDOUT);
    tuco_wg_done(&wg);
    tuco_wg_wait(&end);
    return 0;
}

TEST(on_goroutine) {
    RUN(run_main);
}

TEST(on_thread_without_runtime) {
    wait_with_deadlines(NULL);
}
