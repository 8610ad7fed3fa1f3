/* SPDX-License-Identifier: MIT */
/* Proves: where the kernel has no guard regions, stacks are guarded by protected pages or
   by gaps. */
#include "fault.h"
#include "scenario.h"
#include "test.h"

#include <errno.h>

TEST(protected_pages) {
    test_fault_plan(OS_FAULT_GUARD, 1, TEST_FAULT_ALWAYS, EINVAL);
    test_fault_plan(OS_FAULT_PROTECT, TEST_FAULT_ALWAYS, 1, ENOMEM); // counts only
    test_scenario();
    ASSERT_GT(test_fault_calls(OS_FAULT_PROTECT), 0);
}

TEST(gaps) {
    test_fault_plan(OS_FAULT_GUARD, 1, TEST_FAULT_ALWAYS, EINVAL);
    test_fault_plan(OS_FAULT_PROTECT, 1, TEST_FAULT_ALWAYS, ENOMEM);
    test_scenario();
    test_fault_clear();
    test_scenario();
}

TEST(gaps_from_the_middle_on) {
    test_fault_plan(OS_FAULT_GUARD, 1, TEST_FAULT_ALWAYS, EINVAL);
    test_fault_plan(OS_FAULT_PROTECT, 20, TEST_FAULT_ALWAYS, ENOMEM);
    test_scenario();
}
