/* SPDX-License-Identifier: MIT */
/* Proves: one done wakes every waiter, however many, each once. */
#include "test.h"

#define WAITERS TEST_SIZE(10000, 2000)

static tuco_wg gate;
static tuco_wg end;
static atomic_int arrived;
static atomic_int passed;

static void wait_at_gate(void *arg) {
    (void)arg;
    atomic_fetch_add(&arrived, 1);
    tuco_wg_wait(&gate);
    atomic_fetch_add(&passed, 1);
}

static int run_main(void *arg) {
    (void)arg;
    tuco_wg_add(&gate, 1);
    for (int i = 0; i < WAITERS; i++) {
        ASSERT_EQ(tuco_wg_go(&end, wait_at_gate, NULL), 0);
    }
    test_await(&arrived, WAITERS);
    ASSERT_EQ(atomic_load(&passed), 0);
    tuco_wg_done(&gate);
    tuco_wg_wait(&end);
    ASSERT_EQ(atomic_load(&passed), WAITERS);
    return 0;
}

TEST(many_waiters) {
    RUN(run_main);
}
