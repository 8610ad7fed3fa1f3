/* SPDX-License-Identifier: MIT */
/* Proves: the end of a goroutine ends its announcement: its deferred calls run, and the
   next goroutine on the same thread has announced nothing. */
/* fixed procs */
#include "pipes.h"

static tuco_wg wg;
static int deferred;

static void count(void *arg) {
    (void)arg;
    deferred++;
}

static void exit_inside(void *arg) {
    (void)arg;
    ASSERT_EQ(tuco_defer(count, NULL), 0);
    tuco_blocking_enter();
    tuco_blocking_enter();
    tuco_exit();
}

static void return_inside(void *arg) {
    (void)arg;
    ASSERT_EQ(tuco_defer(count, NULL), 0);
    tuco_blocking_enter();
}

static void leave_only(void *arg) {
    (void)arg;
    tuco_blocking_exit();
}

static int run_main(void *arg) {
    (void)arg;
    for (int i = 0; i < 100; i++) {
        ASSERT_EQ(tuco_wg_go(&wg, i % 2 == 0 ? exit_inside : return_inside, NULL), 0);
        tuco_wg_wait(&wg);
        ASSERT_EQ(deferred, i + 1);
    }
    return 0;
}

static int inherit_main(void *arg) {
    run_main(arg);
    ASSERT_EQ(tuco_wg_go(&wg, leave_only, NULL), 0);
    tuco_wg_wait(&wg);
    return 0;
}

TEST(others_go_on) {
    use_procs(1);
    RUN(run_main);
}

TEST(nothing_is_inherited) {
    use_procs(1);
    RUN_DIES(inherit_main, "tuco_blocking_exit without tuco_blocking_enter");
}
