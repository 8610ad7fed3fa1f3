/* SPDX-License-Identifier: MIT */
/* Proves: a goroutine on a thread that could not have an alternate signal stack is not
   interrupted, and gives way at its next call. */
/*
 * Bug. A thread of the runtime that got no memory for its alternate stack ran goroutines all
 * the same, and they were made to give way by a signal like others: its handler ran on the
 * goroutine's own stack, wherever that ended.
 *
 * Fix. rt_preempt_can_force() says no to such a thread.
 *
 * Fails without it: the other goroutine runs while the first one computes.
 */
/* fixed procs */
/* not under asan */
/* not under tsan */
#include "fault.h"
#include "test.h"

#include <errno.h>

/* What the first one computes, of CPU time: many times its slice. */
#define COMPUTE (200 * TUCO_MILLISECOND)

static atomic_int ran;
static atomic_int done;

static void run(void *arg) {
    (void)arg;
    atomic_store(&ran, 1);
}

static void compute(void *arg) {
    (void)arg;
    tuco_time begin = test_cpu_time();
    ASSERT_EQ(tuco_go(run, NULL), 0);
    while (test_cpu_time() - begin < COMPUTE) {
    }
    ASSERT_EQ(atomic_load(&ran), 0);
    tuco_yield();
    ASSERT_EQ(atomic_load(&ran), 1);
    atomic_store(&done, 1);
}

TEST(no_signal_stack) {
    test_setenv("TUCOPROCS", "1");
    test_fault_plan(OS_FAULT_SIGNAL_STACK, 1, TEST_FAULT_ALWAYS, ENOMEM);
    ASSERT_EQ(tuco_start(), 0);
    ASSERT_EQ(tuco_go(compute, NULL), 0);
    test_spin(&done, 1);
    ASSERT_EQ(tuco_stop(TUCO_NEVER), 0);
    test_fault_expect_balance();
}
