/* SPDX-License-Identifier: MIT */
/* Proves: an overflow of the scheduler's own stack is reported once, on any of its
   threads. */
/* not under asan */
#include "reports.h"
#include "sched/syscall/enter.h"
#include "sched/park.h"
#include "test.h"

/* The next context runs this. With no other goroutine to run, that is the scheduler. */
static void commit_overflow(struct rt_m *m, struct rt_g *g, void *arg) {
    (void)arg;
    ASSERT(m->g == &m->g0);
    report_recurse((int)g->id);
}

static void park(void *arg) {
    (void)arg;
    rt_park(rt_m_enter(arch_self()), commit_overflow, NULL, RT_WAIT_none, NULL);
}

static int on_main_thread(void *arg) {
    park(arg);
    return 0;
}

static void run_on_main_thread(void *arg) {
    (void)arg;
    tuco_run(on_main_thread, NULL);
}

static void run_on_worker(void *arg) {
    (void)arg;
    ASSERT_EQ(tuco_start(), 0);
    ASSERT_EQ(tuco_go(park, NULL), 0);
    tuco_stop(TUCO_NEVER);
}

static void expect_report(tuco_fn *fn) {
    static struct test_child child;
    test_child_run(&child, fn, NULL);
    EXPECT_STATUS(&child, 2);
    ASSERT_HAS(child.text, "scheduler stack exceeds");
    ASSERT_EQ(test_occurrences(child.text, "fatal error: stack overflow"), 1);
}

TEST(scheduler_stack_overflow) {
    expect_report(run_on_main_thread);
    expect_report(run_on_worker);
}
