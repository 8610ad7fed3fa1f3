/* SPDX-License-Identifier: MIT */
/* Proves: no wake-up is lost when the last done and the wait run at the same time, in any
   order of their steps. */
#include "test.h"

#define ROUNDS TEST_SIZE(20000, 2000)

static atomic_int round_open;
static tuco_wg wg;
static tuco_wg end;

/* Polls, so that both sides start within nanoseconds if there are two processors. */
static void finish_rounds(void *arg) {
    (void)arg;
    for (int i = 1; i <= ROUNDS; i++) {
        test_await(&round_open, i);
        tuco_wg_done(&wg);
    }
}

static int run_main(void *arg) {
    (void)arg;
    ASSERT_EQ(tuco_wg_go(&end, finish_rounds, NULL), 0);
    for (int i = 1; i <= ROUNDS; i++) {
        tuco_wg_add(&wg, 1);
        atomic_store(&round_open, i);
        for (volatile int delay = i % 64; delay > 0; delay--) {
        }
        tuco_wg_wait(&wg);
    }
    tuco_wg_wait(&end);
    return 0;
}

TEST(done_races_with_wait) {
    RUN(run_main);
}
