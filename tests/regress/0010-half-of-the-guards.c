/* SPDX-License-Identifier: MIT */
/* Proves: if only some stacks of a batch can have guards, all stacks of the batch can be
   used and freed. */
/*
 * Bug. The runtime installs the guards of several stacks at once, range by range if the
 * kernel has no call for all. If one in the middle failed, the guards before it stayed,
 * but the caller got the result that there were none. It then protected each stack with
 * mprotect(), and if that failed too it left a gap, whose words are read when the
 * goroutine ends. A gap with a guard was not readable, and the process ended with a
 * segmentation fault.
 *
 * Fix. os_guard_install() removes the guards that it has installed before it fails.
 *
 * Fails without it: the third range is the second of a batch of two.
 */
#include "fault.h"
#include "os/os.h"
#include "scenario.h"
#include "test.h"

#include <errno.h>

#define FIRST_MAX 20 /* beyond the first few batches, which double */

TEST(half_of_the_guards) {
    if (!os_guard_works()) {
        SKIP("This kernel has no guard regions.");
    }
    for (int first = 2; first < FIRST_MAX; first++) {
        test_fault_plan(OS_FAULT_VECTOR, 1, TEST_FAULT_ALWAYS, EINVAL);
        test_fault_plan(OS_FAULT_PROTECT, 1, TEST_FAULT_ALWAYS, ENOMEM);
        test_fault_plan(OS_FAULT_GUARD, first, 1, ENOMEM);
        test_scenario();
        test_fault_clear();
    }
}
