/* SPDX-License-Identifier: MIT */
/* Proves: no waiter returns before the last done, all waiters wake, and the group can be
   reused. */
#include "test.h"

#define COUNT  16
#define REUSES 8

static tuco_wg enter;
static tuco_wg leave;
static atomic_int done_calls;
static atomic_int passed;

static void arrive(void *arg) {
    (void)arg;
    atomic_fetch_add(&done_calls, 1);
    tuco_wg_done(&enter);
    tuco_wg_wait(&enter);
    ASSERT_EQ(atomic_load(&done_calls), COUNT);
    atomic_fetch_add(&passed, 1);
    tuco_wg_done(&leave);
}

static void round_trip(void) {
    atomic_store(&done_calls, 0);
    atomic_store(&passed, 0);
    tuco_wg_add(&enter, COUNT);
    tuco_wg_add(&leave, COUNT);
    for (int i = 1; i < COUNT; i++) {
        ASSERT_EQ(tuco_go(arrive, NULL), 0);
    }
    for (int i = 0; i < 100; i++) {
        tuco_yield();
        ASSERT_EQ(atomic_load(&passed), 0); // the sixteenth is missing
    }
    ASSERT_EQ(tuco_go(arrive, NULL), 0);
    tuco_wg_wait(&leave);
    ASSERT_EQ(atomic_load(&passed), COUNT);
}

static int run_main(void *arg) {
    (void)arg;
    for (int i = 0; i < REUSES; i++) {
        round_trip();
    }
    return 0;
}

TEST(barrier) {
    RUN(run_main);
}
