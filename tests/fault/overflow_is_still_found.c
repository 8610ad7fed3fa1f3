/* SPDX-License-Identifier: MIT */
/* Proves: whichever method of guarding stacks the kernel refuses, a goroutine that
   overflows its stack ends the process with a report. */
#include "fault.h"
#include "reports.h"
#include "sched/sched.h"
#include "test.h"

#define OTHERS 8 /* stacks are made in batches, the last one's too */

static tuco_wg never;

static void wait_for_ever(void *arg) {
    (void)arg;
    tuco_wg_wait(&never);
}

static void overflow(void *arg) {
    (void)arg;
    report_recurse(0);
}

/* Makes only the first write of an overflow: the runtime checks a gap later. */
__attribute__((no_sanitize_address)) static void write_below(void *arg) {
    (void)arg;
    struct rt_g *g = rt_m_g(arch_self());
    *((volatile uint64_t *)(g->stack->low + RT_STACK_GUARD_BYTES) - 1) = 1;
}

static tuco_fn *last;

static int overflow_main(void *arg) {
    (void)arg;
    tuco_wg_add(&never, 1);
    for (int i = 0; i < OTHERS; i++) {
        ASSERT_EQ(tuco_go(wait_for_ever, NULL), 0);
        tuco_yield();
    }
    ASSERT_EQ(tuco_go(last, NULL), 0);
    tuco_wg_wait(&never);
    return 0;
}

static void refuse(enum os_fault_kind kind) {
    test_fault_plan(kind, 1, TEST_FAULT_ALWAYS, test_fault_usual_error(kind));
}

TEST(one_range_at_a_time) {
    refuse(OS_FAULT_VECTOR);
    last = overflow;
    RUN_DIES(overflow_main, "goroutine stack exceeds");
}

TEST(no_guard_regions) {
    refuse(OS_FAULT_GUARD_PROBE);
    last = overflow;
    RUN_DIES(overflow_main, "goroutine stack exceeds");
}

TEST(no_more_guard_regions) {
    refuse(OS_FAULT_GUARD);
    last = overflow;
    RUN_DIES(overflow_main, "goroutine stack exceeds");
}

TEST(gaps) {
    refuse(OS_FAULT_GUARD);
    refuse(OS_FAULT_PROTECT);
    last = write_below;
    RUN_DIES(overflow_main, "stack overflow: a goroutine that has ended wrote below");
}
