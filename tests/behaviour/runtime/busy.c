/* SPDX-License-Identifier: MIT */
/* Proves: while a runtime is up, a second run, start or configure returns -EBUSY and
   changes nothing. */
#include "test.h"

#include <errno.h>

static int inner_calls;

static int inner_main(void *arg) {
    (void)arg;
    inner_calls++;
    return 0;
}

static void expect_busy(void *arg) {
    (void)arg;
    tuco_config config = {.procs = 1};
    ASSERT_EQ(tuco_run(inner_main, NULL), -EBUSY);
    ASSERT_EQ(tuco_start(), -EBUSY);
    ASSERT_EQ(tuco_configure(&config), -EBUSY);
    ASSERT_EQ(inner_calls, 0);
}

static int outer_main(void *arg) {
    (void)arg;
    tuco_wg wg = {0};
    expect_busy(NULL);
    ASSERT_EQ(tuco_wg_go(&wg, expect_busy, NULL), 0);
    tuco_wg_wait(&wg);
    test_threads_run(1, expect_busy, NULL);
    return 9;
}

TEST(busy_under_run) {
    ASSERT_EQ(tuco_run(outer_main, NULL), 9);
    RUN(inner_main);
    ASSERT_EQ(inner_calls, 1);
}

TEST(busy_under_start) {
    ASSERT_EQ(tuco_start(), 0);
    expect_busy(NULL);
    ASSERT_EQ(tuco_stop(TUCO_NEVER), 0);
    RUN(inner_main);
    ASSERT_EQ(inner_calls, 1);
}
