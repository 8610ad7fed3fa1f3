/* SPDX-License-Identifier: MIT */
/* not under tsan */
/* Proves: each kernel call and each allocation may fail, one after the other: the call
   returns an error or the program continues, does not hang or leak, and the next start
   works. */
#include "fault.h"
#include "os/os.h"
#include "scenario.h"
#include "test.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Tries every call up to the 16th, then every second one, and so on: they are alike. */
#define NEXT(call) ((call) + 1 + (call) / 16)
#define CALLS_MAX  4000 /* more than the scenario makes of any kind */

#define MANY 9000 /* more than one slab of descriptors */

struct fault {
    enum os_fault_kind kind;
    enum os_fault_kind lacking; /* fails always; OS_FAULT_KINDS: none does */
    void (*scenario)(void);
    int call;
};

/* The runtime does not make calls that the kernel lacks or that a sanitizer has made
   already; and a sanitizer needs the bounds of stacks. */
static void skip_if_not_here(enum os_fault_kind kind) {
    if ((kind == OS_FAULT_FENCE_REGISTER && !os_fence_register()) ||
        (kind == OS_FAULT_GUARD && !os_guard_works()) ||
        (kind == OS_FAULT_SIGNAL_STACK && TEST_SANITIZED) ||
        (kind == OS_FAULT_THREAD_STACK && TEST_SANITIZED)) {
        SKIP("The runtime does not make this call here, or it cannot fail.");
    }
}

static void run_with_fault(void *arg) {
    struct fault *fault = arg;
    test_setenv("TUCOPROCS", "4"); // with many, the runtime uses plain fences
    if (fault->lacking != OS_FAULT_KINDS) {
        test_fault_plan(fault->lacking, 1, TEST_FAULT_ALWAYS,
                        test_fault_usual_error(fault->lacking));
    }
    test_fault_plan(fault->kind, fault->call, 1, test_fault_usual_error(fault->kind));
    fault->scenario();
    bool reached = test_fault_calls(fault->kind) >= fault->call;
    test_fault_clear();
    fault->scenario();
    fprintf(stderr, reached ? "reached\n" : "not reached\n");
}

static void fail_each(struct fault fault) {
    static struct test_child child;
    skip_if_not_here(fault.kind);
    for (fault.call = 1; fault.call < CALLS_MAX; fault.call = NEXT(fault.call)) {
        test_child_run(&child, run_with_fault, &fault);
        if (child.status != 0) {
            fprintf(stderr, "%s, call %d:\n", test_fault_name(fault.kind), fault.call);
        }
        EXPECT_STATUS(&child, 0);
        if (strstr(child.text, "not reached") != NULL) {
            ASSERT_GT(fault.call, 1); // at least one was made, or this proves nothing
            return;
        }
    }
    ASSERT(!"the scenario makes too many calls to try them all");
}

static void wait_at(void *gate) {
    tuco_wg_wait(gate);
}

static int many_main(void *arg) {
    (void)arg;
    tuco_wg gate = {0};
    tuco_wg wg = {0};
    tuco_wg_add(&gate, 1);
    for (int i = 0; i < MANY; i++) {
        ASSERT_EQ(tuco_wg_go(&wg, wait_at, &gate), 0);
    }
    tuco_wg_done(&gate);
    tuco_wg_wait(&wg);
    return 0;
}

static void scenario_of_many(void) {
    RUN(many_main);
}

/* Not here: THREAD_CPU is for goroutines that are left behind, see sweep.sh and
   regress/0012-left-behind-without-proc.c; FENCE is not certain to be called in this
   scenario, see regress/0011-fence-refused-later.c; WRITE: see report_is_not_heard.c. */
#define EACH(name, kind, lacking, scenario)                                          \
    TEST(name) {                                                                     \
        fail_each((struct fault){OS_FAULT_##kind, OS_FAULT_##lacking, scenario, 0}); \
    }

EACH(thread_start, THREAD, KINDS, test_scenario)
EACH(thread_stack, THREAD_STACK, KINDS, test_scenario)
EACH(cpu_current, CPU_CURRENT, KINDS, test_scenario)
EACH(cpu_count, CPU_COUNT, KINDS, test_scenario)
EACH(futex_wait, FUTEX_WAIT, KINDS, test_scenario)
EACH(fence_register, FENCE_REGISTER, KINDS, test_scenario)
EACH(reserve, RESERVE, KINDS, test_scenario)
EACH(release, RELEASE, KINDS, test_scenario)
EACH(guard_probe, GUARD_PROBE, KINDS, test_scenario)
EACH(guard, GUARD, KINDS, test_scenario)
EACH(guard_one_by_one, GUARD, VECTOR, test_scenario)
EACH(guard_or_gap, GUARD, PROTECT, test_scenario)
EACH(protect, PROTECT, GUARD_PROBE, test_scenario)
EACH(populate, POPULATE, KINDS, scenario_of_many)
EACH(discard, DISCARD, KINDS, test_scenario)
EACH(vector, VECTOR, KINDS, test_scenario)
EACH(handler, HANDLER, KINDS, test_scenario)
EACH(signal_stack, SIGNAL_STACK, KINDS, test_scenario)
EACH(read, READ, KINDS, test_scenario)
EACH(alloc, ALLOC, KINDS, test_scenario)
