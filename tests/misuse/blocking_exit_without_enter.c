/* SPDX-License-Identifier: MIT */
/* Proves: tuco_blocking_exit without tuco_blocking_enter ends the process with a message
   that names the goroutine. */
#include "test.h"

#define MESSAGE "panic: tuco_blocking_exit without tuco_blocking_enter"

static tuco_wg wg;

static int leave_only_main(void *arg) {
    (void)arg;
    tuco_blocking_exit();
    return 0;
}

static int leave_twice_main(void *arg) {
    (void)arg;
    tuco_blocking_enter();
    tuco_blocking_enter();
    tuco_blocking_exit();
    tuco_blocking_exit();
    tuco_blocking_exit();
    return 0;
}

static void leave(void *arg) {
    (void)arg;
    tuco_blocking_exit();
}

/* A goroutine cannot end the announcement of another. */
static int leave_for_another_main(void *arg) {
    (void)arg;
    tuco_blocking_enter();
    ASSERT_EQ(tuco_wg_go(&wg, leave, NULL), 0);
    tuco_wg_wait(&wg);
    tuco_blocking_exit();
    return 0;
}

TEST(blocking_exit_without_enter) {
    RUN_DIES(leave_only_main, MESSAGE);
    RUN_DIES(leave_only_main, "goroutine 1 [running]:");
    RUN_DIES(leave_twice_main, MESSAGE);
}

TEST(for_another) {
    RUN_DIES(leave_for_another_main, MESSAGE);
    RUN_DIES(leave_for_another_main, "goroutine 2 [running]:");
}
