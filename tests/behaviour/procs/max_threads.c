/* SPDX-License-Identifier: MIT */
/* Proves: tuco_set_max_threads() returns the number from before, asks if it is given
   none, and does not go below the threads that there are. */
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

/* Main has a thread as well; the most there can be is all that the process has. */
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
