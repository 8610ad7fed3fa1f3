/* SPDX-License-Identifier: MIT */
/* Proves: on a thread without an alternate signal stack a goroutine is not interrupted,
   and yields at its next call. */
/*
 * Bug. A thread of the runtime that got no memory for its alternate stack still ran
 * goroutines, and signals preempted them like others: the handler ran on the goroutine's
 * own stack, however little was left.
 *
 * Fix. rt_preempt_can_force() returns false for such a thread.
 *
 * Fails without it: the first goroutine gets signals while it computes.
 */
/* fixed procs */
/* not under asan */
/* not under tsan */
#include "fault.h"
#include "ran.h"

#include <signal.h>

#include <errno.h>

/* The CPU time that the first goroutine uses: many times its slice. */
#define COMPUTE (200 * TUCO_MILLISECOND)

static atomic_int done;
static atomic_int signals;
static struct sigaction runtime_action;

static void count(int signal, siginfo_t *info, void *context) {
    atomic_fetch_add(&signals, 1);
    runtime_action.sa_sigaction(signal, info, context);
}

/* Runs before the runtime's handler, which must be installed already. */
static void start_counting(void) {
    ASSERT_EQ(sigaction(SIGURG, NULL, &runtime_action), 0);
    struct sigaction action = runtime_action;
    action.sa_sigaction = count;
    ASSERT_EQ(sigaction(SIGURG, &action, NULL), 0);
}

static void compute(void *arg) {
    (void)arg;
    tuco_time begin = test_cpu_time();
    start_counting();
    ASSERT_EQ(tuco_go(ran_set, NULL), 0);
    while (test_cpu_time() - begin < COMPUTE) {
    }
    ASSERT_EQ(atomic_load(&signals), 0);
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
