/* SPDX-License-Identifier: MIT */
/* Proves: a child that was forked while no runtime ran, before the first run or after a
   run, may start a runtime of its own, and so may its parent. */
#include "children.h"

static atomic_int ran;

static void work(void *arg) {
    (void)arg;
    tuco_yield();
    atomic_fetch_add(&ran, 1);
}

static int work_main(void *arg) {
    (void)arg;
    tuco_wg wg = {0};
    atomic_store(&ran, 0);
    for (int i = 0; i < 100; i++) {
        ASSERT_EQ(tuco_wg_go(&wg, work, NULL), 0);
    }
    tuco_wg_wait(&wg);
    ASSERT_EQ(atomic_load(&ran), 100);
    test_await_alone();
    return 0;
}

static void run_it(void *arg) {
    (void)arg;
    RUN(work_main);
}

static void start_and_stop_it(void *arg) {
    (void)arg;
    ASSERT_EQ(tuco_start(), 0);
    ASSERT_EQ(tuco_go(work, NULL), 0);
    ASSERT_EQ(tuco_stop(TUCO_NEVER), 0);
}

TEST(before_and_after) {
    static struct test_child child;
    for (int i = 0; i < 3; i++) {
        test_child_run(&child, run_it, NULL);
        EXPECT_STATUS(&child, 0);
        test_child_run(&child, start_and_stop_it, NULL);
        EXPECT_STATUS(&child, 0);
        RUN(work_main);
    }
}
