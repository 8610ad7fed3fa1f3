/* SPDX-License-Identifier: MIT */
/* Proves: goroutines that are left when main returns never run again, and a later
   tuco_run returns -EBUSY. */
#include "test.h"

#include <errno.h>

static tuco_wg never;
static atomic_int started;
static atomic_int turns;
static atomic_int returned;

static void block(void *arg) {
    (void)arg;
    atomic_fetch_add(&started, 1);
    tuco_wg_wait(&never);
    ASSERT(!"ran on after main had returned");
}

static void yield_on(void *arg) {
    (void)arg;
    atomic_fetch_add(&started, 1);
    for (;;) {
        tuco_yield();
        atomic_fetch_add(&turns, 1);
    }
}

static int run_main(void *arg) {
    (void)arg;
    tuco_wg_add(&never, 1);
    ASSERT_EQ(tuco_go(block, NULL), 0);
    ASSERT_EQ(tuco_go(yield_on, NULL), 0);
    test_await(&started, 2);
    return 5;
}

static int empty_main(void *arg) {
    (void)arg;
    atomic_store(&returned, 1);
    return 0;
}

/* One turn may be in progress when tuco_run() returns; after that the count stays. */
TEST(left_behind) {
    ASSERT_EQ(tuco_run(run_main, NULL), 5);
    int before = atomic_load(&turns);
    for (int i = 0; i < 10000; i++) {
        sched_yield();
    }
    ASSERT_LE(atomic_load(&turns), before + 1);
    tuco_wg_done(&never);
    ASSERT_EQ(tuco_run(empty_main, NULL), -EBUSY);
    ASSERT_EQ(tuco_start(), -EBUSY);
    ASSERT_EQ(atomic_load(&returned), 0);
}
