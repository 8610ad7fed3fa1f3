/* SPDX-License-Identifier: MIT */
/* Proves: tuco_procs() returns the previous number, changes nothing for 0 or less, limits
   the number to 1024, and returns 0 without a runtime. */
/* fixed procs */
#include "test.h"

#include <limits.h>

static void expect_answers(int before) {
    ASSERT_EQ(tuco_procs(0), before);
    ASSERT_EQ(tuco_procs(-1), before);
    ASSERT_EQ(tuco_procs(INT_MIN), before);
    ASSERT_EQ(tuco_procs(5), before);
    ASSERT_EQ(tuco_procs(1), 5);
    ASSERT_EQ(tuco_procs(1024), 1);
    ASSERT_EQ(tuco_procs(2), 1024);
    ASSERT_EQ(tuco_procs(1025), 2);
    ASSERT_EQ(tuco_procs(INT_MAX), 1024);
    ASSERT_EQ(tuco_procs(before), 1024);
    ASSERT_EQ(tuco_procs(0), before);
}

static int ask_main(void *arg) {
    (void)arg;
    expect_answers(3);
    ASSERT_EQ(tuco_procs(7), 3);
    return 0;
}

static void expect_none(void) {
    ASSERT_EQ(tuco_procs(0), 0);
    ASSERT_EQ(tuco_procs(4), 0);
    ASSERT_EQ(tuco_procs_auto(), 0);
}

/* The next runtime starts with the configured number, not with the last one of the
   previous runtime. */
TEST(by_goroutines) {
    test_setenv("TUCOPROCS", "3");
    expect_none();
    RUN(ask_main);
    expect_none();
    RUN(ask_main);
}

TEST(by_a_thread) {
    test_setenv("TUCOPROCS", "3");
    ASSERT_EQ(tuco_start(), 0);
    expect_answers(3);
    ASSERT_EQ(tuco_stop(TUCO_NEVER), 0);
    expect_none();
}
