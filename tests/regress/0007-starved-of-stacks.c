/* SPDX-License-Identifier: MIT */
/* Proves: goroutines that wait for stack memory are not reported as asleep, and run when
   there is memory again. */
/* fixed procs */
/*
 * Bug. Goroutines without memory for a stack wait in a list, and the monitor queues them
 * again. The check for a deadlock could miss them here and there.
 *
 *     rt_quiesce_check()             rt_spawn_feed_starved()
 *     [L] nobody is queued
 *                                    queues them; nobody is in the list any more
 *     [L] nobody is in the list: all goroutines are asleep
 *
 * Fix. Both hold the list's lock: whoever has it finds each goroutine in one of the two.
 *
 * Fails without it: the check looks at 1024 queues, which takes a while, and a thread
 * that sees it begin queues the goroutine again, each time at another moment of it.
 */
#include "os/fault.h"
#include "sched/idle.h"
#include "sched/spawn.h"
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
        int pause = i % 128; // another moment each time
        while (!rt_idle_all() || pause-- > 0) {
            rt_cpu_relax();
        }
        rt_spawn_feed_starved();
    }
    for (int i = 0; i < MORE; i++) { // the monitor alone sees to these
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
