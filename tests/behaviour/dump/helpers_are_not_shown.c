/* SPDX-License-Identifier: MIT */
/* Proves: the runtime's own helpers appear in no dump and in no count, with and without
   the scheduler's trace. */
#include "test.h"

static tuco_wg gate;
static tuco_wg wg;

static void hold(void *arg) {
    (void)arg;
    tuco_wg_wait(&gate);
}

static void expect_goroutines(int n) {
    ASSERT_EQ(tuco_count(), n);
    const char *dump = test_dump();
    ASSERT_EQ(test_dump_entries(dump), n);
    ASSERT_HAS(dump, "goroutine 1 [running");
}

static int run_main(void *arg) {
    (void)arg;
    expect_goroutines(1);
    tuco_wg_add(&gate, 1);
    ASSERT_EQ(tuco_wg_go(&wg, hold, NULL), 0);
    expect_goroutines(2);
    tuco_wg_done(&gate);
    tuco_wg_wait(&wg);
    test_await_alone();
    expect_goroutines(1);
    return 0;
}

static void run_it(void *arg) {
    (void)arg;
    RUN(run_main);
}

TEST(helpers_are_not_shown) {
    RUN(run_main);
}

TEST(helpers_are_not_shown_with_trace) {
    static struct test_child child; // swallows the trace
    test_setenv("TUCODEBUG", "schedtrace=1");
    test_child_run(&child, run_it, NULL);
    EXPECT_STATUS(&child, 0);
}
