/* SPDX-License-Identifier: MIT */
/* Proves: from any thread on that cannot be created, for ever, the work is done by those
   there are. */
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
