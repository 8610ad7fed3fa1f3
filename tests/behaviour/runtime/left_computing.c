/* SPDX-License-Identifier: MIT */
/* Proves: main's return ends tuco_run although a goroutine computes; that goroutine stops
   at its next call. */
/* fixed procs */
#include "test.h"

#include <errno.h>

static atomic_int started;
static atomic_int released;
static atomic_int calling;
static atomic_int came_back;

static void compute(void *arg) {
    (void)arg;
    atomic_store(&started, 1);
    test_spin(&released, 1);
    atomic_store(&calling, 1);
    tuco_yield();
    atomic_store(&came_back, 1);
}

static int run_main(void *arg) {
    (void)arg;
    ASSERT_EQ(tuco_go(compute, NULL), 0);
    test_spin(&started, 1);
    return 5;
}

TEST(left_computing) {
    test_setenv("TUCOPROCS", "2");
    ASSERT_EQ(tuco_run(run_main, NULL), 5);
    ASSERT_EQ(tuco_run(test_empty_main, NULL), -EBUSY);
    atomic_store(&released, 1);
    test_spin(&calling, 1);
    for (int i = 0; i < 10000; i++) {
        sched_yield();
        ASSERT_EQ(atomic_load(&came_back), 0);
    }
    ASSERT_EQ(tuco_run(test_empty_main, NULL), -EBUSY);
}
