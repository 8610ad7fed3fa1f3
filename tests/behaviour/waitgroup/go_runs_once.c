/* SPDX-License-Identifier: MIT */
/* Proves: tuco_wg_go runs its function once, and its writes are visible after
   tuco_wg_wait. */
#include "test.h"

#define COUNT  100
#define ROUNDS 50

static tuco_wg wg;
static int plain[COUNT]; /* not atomic: the wait orders the writes before the reads */

static void increment(void *arg) {
    (*(int *)arg)++;
}

static void increment_and_exit(void *arg) {
    increment(arg);
    tuco_exit();
}

static int run_main(void *arg) {
    (void)arg;
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < COUNT; i++) {
            tuco_fn *fn = i % 2 == 0 ? increment : increment_and_exit;
            ASSERT_EQ(tuco_wg_go(&wg, fn, &plain[i]), 0);
        }
        tuco_wg_wait(&wg);
        for (int i = 0; i < COUNT; i++) {
            ASSERT_EQ(plain[i], round + 1);
        }
    }
    return 0;
}

TEST(go_runs_once) {
    RUN(run_main);
}
