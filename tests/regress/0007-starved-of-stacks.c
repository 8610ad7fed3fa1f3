/* SPDX-License-Identifier: MIT */
/* Proves: the runtime does not report goroutines that wait for stack memory as asleep,
   and runs them when there is memory again. */
/* fixed procs */
/*
 * Bug. Goroutines without memory for a stack wait in a list, and sysmon queues them
 * again. The check for a deadlock could miss them in both places.
 *
 *     rt_checkdead()             rt_starved_feed()
 *     [L] finds no goroutine queued
 *                                    queues them; the list is empty
 *     [L] finds the list empty: reports all goroutines asleep
 *
 * Fix. Both functions hold the list's lock, so that the check finds each goroutine in one
 * of the two places.
 *
 * Fails without it: the check reads 1024 queues, which takes a while. A thread that sees
 * it begin queues the goroutine again, each time at another point of the check.
 */
#include "os/fault.h"
#include "sched/thread/wakep.h"
#include "sched/starved.h"
#include "test.h"

#include <errno.h>

#define REFUSALS TEST_SIZE(40000, 2000)
#define MORE     20
static const tuco_attr large = {.stack_size = (size_t)1 << 20}; // processors keep none
static tuco_wg wg;
static atomic_int denying;
static atomic_int refused;

static int deny(enum os_fault_kind kind) {
    bool fails = kind == OS_FAULT_RESERVE && atomic_load(&denying) != 0;
    atomic_fetch_add(&refused, fails);
    return fails ? ENOMEM : 0;
}

static void done(void *arg) {
    tuco_wg_done(arg);
}

static void feed(void *arg) {
    (void)arg;
    for (int i = 0; atomic_load(&refused) < REFUSALS; i++) {
        int pause = i % 128; // a different delay each time
        while (!rt_pidle_all() || pause-- > 0) {
            rt_cpu_relax();
        }
        rt_wakep(rt_starved_feed());
    }
    for (int i = 0; i < MORE; i++) { // only sysmon queues these
        ASSERT_EQ(tuco_go_attr(&large, done, &wg), 0);
    }
    while (atomic_load(&refused) < REFUSALS + 4 * MORE) {
        sched_yield();
    }
    atomic_store(&denying, 0);
}

static int run_main(void *arg) {
    (void)arg;
    struct test_thread thread;
    atomic_store(&denying, 1);
    tuco_wg_add(&wg, 1 + MORE);
    ASSERT_EQ(tuco_go_attr(&large, done, &wg), 0);
    test_thread_start(&thread, feed, NULL);
    tuco_wg_wait(&wg);
    test_thread_join(&thread);
    return 0;
}

TEST(starved_of_stacks) {
    tuco_config config = {.max_threads = 1};
    test_setenv("TUCOPROCS", "1024");
    ASSERT_EQ(tuco_configure(&config), 0);
    os_fault_hook = deny;
    RUN(run_main);
}
