/* SPDX-License-Identifier: MIT */
/* Proves: a function that calls tuco_once_do() for its own once is reported as a
   deadlock. */
#include "test.h"

static tuco_once once;

static void call_again(void *arg) {
    tuco_once_do(&once, call_again, arg);
}

static int run_main(void *arg) {
    call_again(arg);
    return 0;
}

TEST(waits_for_itself) {
    RUN_DIES(run_main, "all goroutines are asleep - deadlock!");
    RUN_DIES(run_main, "goroutine 1 [sync.Once.Do]:");
}
