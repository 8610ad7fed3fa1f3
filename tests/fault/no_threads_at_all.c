/* SPDX-License-Identifier: MIT */
/* Proves: if no thread can be created from the n-th on, the existing threads do all the
   work. */
#include "fault.h"
#include "scenario.h"
#include "test.h"

#include <errno.h>

#define FIRST_MAX 6

TEST(no_threads_at_all) {
    test_setenv("TUCOPROCS", "8");
    for (int first = 1; first <= FIRST_MAX; first++) {
        test_fault_plan(OS_FAULT_THREAD, first, TEST_FAULT_ALWAYS, EAGAIN);
        test_scenario();
        ASSERT_GE(test_fault_calls(OS_FAULT_THREAD), first);
        test_fault_clear();
        test_scenario();
    }
}
