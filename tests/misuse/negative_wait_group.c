/* SPDX-License-Identifier: MIT */
/* Proves: a wait group counted below zero or above its limit ends the process with Go's
   message. */
#include "test.h"

#include <limits.h>

#define NEGATIVE "sync: negative WaitGroup counter"

static int done_twice_main(void *arg) {
    (void)arg;
    tuco_wg wg = {0};
    tuco_wg_add(&wg, 1);
    tuco_wg_done(&wg);
    tuco_wg_done(&wg);
    return 0;
}

static int add_negative_main(void *arg) {
    (void)arg;
    tuco_wg wg = {0};
    tuco_wg_add(&wg, 5);
    tuco_wg_add(&wg, INT_MIN);
    return 0;
}

static int overflow_main(void *arg) {
    (void)arg;
    tuco_wg wg = {0};
    tuco_wg_add(&wg, INT_MAX);
    tuco_wg_add(&wg, 1);
    return 0;
}

static void done_on_thread(void *arg) {
    (void)arg;
    tuco_wg wg = {0};
    tuco_wg_done(&wg);
}

TEST(below_zero) {
    RUN_DIES(done_twice_main, NEGATIVE);
    RUN_DIES(add_negative_main, NEGATIVE);
}

TEST(above_limit) {
    RUN_DIES(overflow_main, "WaitGroup");
}

TEST(below_zero_without_runtime) {
    EXPECT_DEATH(done_on_thread, NULL, NEGATIVE);
}
