/* SPDX-License-Identifier: MIT */
/* Proves: tuco_set_max_threads() returns the previous number, changes nothing for 0 or
   less, and does not go below the current number of threads; without a runtime it returns
   0 and sets nothing. */
/* fixed procs */
#include "test.h"

#include <limits.h>

#define WIRED 8

static tuco_wg arrived;
static tuco_wg gate;

static void stand(void *arg) {
    (void)arg;
    tuco_lock_thread();
    tuco_wg_done(&arrived);
    tuco_wg_wait(&gate);
}

static void expect_answers(int before) {
    ASSERT_EQ(tuco_set_max_threads(0), before);
    ASSERT_EQ(tuco_set_max_threads(-1), before);
    ASSERT_EQ(tuco_set_max_threads(INT_MIN), before);
    ASSERT_EQ(tuco_set_max_threads(200), before);
    ASSERT_EQ(tuco_set_max_threads(300), 200);
    ASSERT_EQ(tuco_set_max_threads(0), 300);
}

/* Main has a thread too; the process has at least as many threads as the runtime. */
static int run_main(void *arg) {
    tuco_wg wg = {0};
    expect_answers(*(int *)arg);
    tuco_wg_add(&arrived, WIRED);
    tuco_wg_add(&gate, 1);
    for (int i = 0; i < WIRED; i++) {
        ASSERT_EQ(tuco_wg_go(&wg, stand, NULL), 0);
    }
    tuco_wg_wait(&arrived);
    ASSERT_EQ(tuco_set_max_threads(1), 300);
    int least = tuco_set_max_threads(300);
    ASSERT_GE(least, WIRED + 1);
    ASSERT_LE(least, test_count_threads());
    tuco_wg_done(&gate);
    tuco_wg_wait(&wg);
    return 0;
}

TEST(by_default) {
    test_setenv("TUCOPROCS", "2");
    ASSERT_EQ(tuco_run(run_main, &(int){10000}), 0);
}

TEST(configured) {
    tuco_config config = {.max_threads = 50};
    test_setenv("TUCOPROCS", "2");
    ASSERT_EQ(tuco_configure(&config), 0);
    ASSERT_EQ(tuco_run(run_main, &(int){50}), 0);
}

static int expect_default_main(void *arg) {
    (void)arg;
    ASSERT_EQ(tuco_set_max_threads(0), 10000);
    return 0;
}

TEST(without_a_runtime) {
    for (int i = 0; i < 2; i++) {
        ASSERT_EQ(tuco_set_max_threads(0), 0);
        ASSERT_EQ(tuco_set_max_threads(200), 0);
        ASSERT_EQ(tuco_set_max_threads(0), 0);
        RUN(expect_default_main);
    }
}

TEST(on_a_foreign_thread) {
    ASSERT_EQ(tuco_start(), 0);
    ASSERT_EQ(tuco_set_max_threads(200), 10000);
    ASSERT_EQ(tuco_set_max_threads(0), 200);
    ASSERT_EQ(tuco_stop(TUCO_NEVER), 0);
    ASSERT_EQ(tuco_set_max_threads(0), 0);
}
