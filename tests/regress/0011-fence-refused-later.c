/* SPDX-License-Identifier: MIT */
/* Proves: if a program forbids membarrier while the runtime runs, the runtime reports
   it. */
/*
 * Bug. A thread that goes to sleep repeated its fence until the kernel ran it, because it
 * fails for a moment when memory is short. If a sandbox refused the call, it failed for
 * ever: every idle thread used a whole CPU, without a message.
 *
 * Fix. rt_fence_refused() ends the process with a report, unless the error is a lack of
 * memory.
 *
 * Fails without it: all goroutines end or wait, and the fence of the last thread that goes
 * to sleep is refused.
 */
#include "fault.h"
#include "os/os.h"
#include "test.h"

#include <errno.h>

static atomic_int computes;
static atomic_int queued;

static void compute_until_queued(void *arg) {
    (void)arg;
    atomic_store(&computes, 1);
    while (!atomic_load(&queued)) {
    }
}

/* Goroutines are queued while both Ps are busy: no thread is woken for them, so the last
   thread that becomes idle needs the fence. */
static int sleep_main(void *arg) {
    (void)arg;
    tuco_wg never = {0};
    ASSERT_EQ(tuco_go(compute_until_queued, NULL), 0);
    while (!atomic_load(&computes)) {
        tuco_yield();
    }
    for (int i = 0; i < 3; i++) {
        ASSERT_EQ(tuco_go(test_return_at_once, NULL), 0);
    }
    atomic_store(&queued, 1);
    tuco_wg_add(&never, 1);
    tuco_wg_wait(&never);
    return 0;
}

TEST(fence_refused_later) {
    if (!os_fence_register()) {
        SKIP("This kernel or sandbox has no membarrier.");
    }
    test_setenv("TUCOPROCS", "2");
    test_setenv("TUCODEBUG", NULL); // it may request plain fences
    test_fault_plan(OS_FAULT_FENCE, 1, TEST_FAULT_ALWAYS, EPERM);
    RUN_DIES(sleep_main, "membarrier worked when the runtime began");
}

TEST(fence_refused_for_a_moment) {
    test_setenv("TUCOPROCS", "2");
    test_fault_plan(OS_FAULT_FENCE, 1, 7, ENOMEM);
    RUN_DIES(sleep_main, "all goroutines are asleep");
}
