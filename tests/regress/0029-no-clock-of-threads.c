/* SPDX-License-Identifier: MIT */
/* Proves: a goroutine that computes is requested to yield even if the CPU time of its
   thread cannot be read. */
/*
 * Bug. Sysmon concludes that a thread computes if its CPU time grows from one check to
 * the next. A time that cannot be read is always 0: such a thread never seemed to run,
 * and its goroutine got no request.
 *
 * Fix. what_it_does() in retake.c draws no conclusion from 0.
 *
 * Fails without it: with one P, others run only if the goroutine yields.
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
    test_fault_plan(OS_FAULT_THREAD_CPU, 1, TEST_FAULT_ALWAYS, EINVAL);
    RUN(compute_main);
}
