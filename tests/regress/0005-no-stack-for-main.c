/* SPDX-License-Identifier: MIT */
/* Proves: tuco_run returns -ENOMEM if there is no memory for the main goroutine, and
   works again when there is. */
/*
 * Bug. The main goroutine was like any other: it got its stack when it first ran. If
 * there was no memory for it, main waited for memory in a runtime that had nothing else
 * to do, and tuco_run() did not return.
 *
 * Fix. Every step that can fail, including the main goroutine's stack, comes before the
 * runtime runs; a failure undoes the steps before.
 *
 * Fails without it: one of the rounds below refuses the reservation for the stack and all
 * later ones.
 */
#include "fault.h"
#include "test.h"

#include <errno.h>

#define FIRST_MAX 16 /* more than a runtime with one goroutine reserves */

static int run_main(void *arg) {
    (void)arg;
    return 7;
}

TEST(no_stack_for_main) {
    int threads = test_count_threads();
    int result = -ENOMEM;
    int first = 0;
    while (result != 7) {
        first++;
        ASSERT_LT(first, FIRST_MAX);
        test_fault_plan(OS_FAULT_RESERVE, first, TEST_FAULT_ALWAYS, ENOMEM);
        result = tuco_run(run_main, NULL);
        ASSERT(result == 7 || result == -ENOMEM);
        test_fault_clear();
        EXPECT_THREADS(threads);
        ASSERT_EQ(tuco_run(run_main, NULL), 7);
    }
    ASSERT_GT(first, 2); // its descriptor and its stack were refused, each in its round
}
