/* SPDX-License-Identifier: MIT */
/* Proves: a goroutine that computes is asked to give way although the CPU time of its
   thread cannot be read. */
/*
 * Bug. The monitor takes a thread whose CPU time grows from one look to the next for one
 * that computes. What cannot be read is 0 each time: such a thread was never seen to
 * run, and its goroutine never asked.
 *
 * Fix. what_it_does() in retake.c knows that 0 says nothing.
 *
 * Fails without it: with one P, others run only if the goroutine gives way.
 */
/* fixed procs */
#include "fault.h"
#include "test.h"

#include <errno.h>

#define ROUNDS 5

static atomic_int others_ran;

static void count(void *arg) {
    (void)arg;
    atomic_fetch_add(&others_ran, 1);
}

static int compute_main(void *arg) {
    (void)arg;
    for (int i = 1; i <= ROUNDS; i++) {
        ASSERT_EQ(tuco_go(count, NULL), 0);
        while (atomic_load(&others_ran) < i) {
            tuco_checkpoint();
        }
    }
    return 0;
}

TEST(no_clock_of_threads) {
    test_setenv("TUCOPROCS", "1");
    test_fault_plan(OS_FAULT_THREAD_LOOK, 1, TEST_FAULT_ALWAYS, EINVAL);
    RUN(compute_main);
}
