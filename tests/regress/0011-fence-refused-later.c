/* SPDX-License-Identifier: MIT */
/* Proves: a program that forbids membarrier while the runtime runs is told so. */
/*
 * Bug. The fence of a thread that goes to sleep was asked for again and again until the
 * kernel ran it, as it fails for a moment when memory is short. If a sandbox that the
 * program had put itself into refused the call, that was for ever: every thread that had
 * nothing to do took a CPU, and nothing said why.
 *
 * Fix. rt_fence_refused() ends the process with a report, unless it is memory that is
 * missing.
 *
 * Fails without it: main goes to sleep, and with it the thread that is refused.
 */
#include "fault.h"
#include "os/os.h"
#include "test.h"

#include <errno.h>

static int sleep_main(void *arg) {
    (void)arg;
    tuco_wg never = {0};
    tuco_wg_add(&never, 1);
    tuco_wg_wait(&never);
    return 0;
}

TEST(fence_refused_later) {
    if (!os_fence_register()) {
        SKIP("This kernel or sandbox has no membarrier.");
    }
    test_setenv("TUCOPROCS", "2");
    test_setenv("TUCODEBUG", NULL); // which may ask for plain fences
    test_fault_plan(OS_FAULT_FENCE, 1, TEST_FAULT_ALWAYS, EPERM);
    RUN_DIES(sleep_main, "membarrier worked when the runtime began");
}

TEST(fence_refused_for_a_moment) {
    test_setenv("TUCOPROCS", "2");
    test_fault_plan(OS_FAULT_FENCE, 1, 7, ENOMEM);
    RUN_DIES(sleep_main, "all goroutines are asleep");
}
