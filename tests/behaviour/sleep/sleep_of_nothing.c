/* SPDX-License-Identifier: MIT */
/* Proves: a sleep of zero or negative length returns at once, and never leaves the
   goroutine parked. (TM-02) */
#include "test.h"

#define ROUNDS 100
#define MAX    (10 * TUCO_SECOND)

static void sleep_for_nothing(void *arg) {
    (void)arg;
    for (int i = 0; i < ROUNDS; i++) {
        tuco_sleep(0);
        tuco_sleep(-1);
        tuco_sleep(-TUCO_SECOND);
        tuco_sleep(INT64_MIN);
        tuco_sleep_until(0);
        tuco_sleep_until(INT64_MIN);
        tuco_sleep_until(tuco_now());
    }
}

static int run_main(void *arg) {
    tuco_wg wg = {0};
    tuco_time begin = tuco_now();
    for (int i = 0; i < ROUNDS; i++) {
        ASSERT_EQ(tuco_wg_go(&wg, sleep_for_nothing, NULL), 0);
    }
    sleep_for_nothing(arg);
    tuco_wg_wait(&wg);
    ASSERT_LT(tuco_now() - begin, MAX);
    return 0;
}

TEST(goroutines) {
    RUN(run_main);
}

TEST(thread) {
    sleep_for_nothing(NULL);
}
