/* SPDX-License-Identifier: MIT */
/* Proves: if guards can be had for some stacks of a batch only, all of them can be used
   and left. */
/*
 * Bug. The guards of several stacks are asked for at once, range by range where the
 * kernel has no call for all. If one in the middle failed, those before it were there,
 * and the caller was told that none was. It then protected each stack the older way, and
 * where that failed too left a gap, whose words are read when the goroutine ends: the
 * ones with a guard were not readable, and the process ended with a segmentation fault.
 *
 * Fix. os_guard_install() takes away what it has put in place before it fails.
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
