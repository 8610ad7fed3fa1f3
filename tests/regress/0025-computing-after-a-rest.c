/* SPDX-License-Identifier: MIT */
/* Proves: a goroutine that computes is made to give way although all had rested for long,
   and its processor was without a thread. */
/*
 * Bug. When all Ps have been idle for a while the monitor sleeps until an M has a P
 * again and wakes it. An M gets one by being woken with its own, by coming back from a
 * call, or as a spare one; the last of these did not wake it. So the goroutine that ran
 * there kept its P for as long as it liked.
 *
 * Fix. rt_spare_wait() wakes the monitor.
 *
 * Fails without it: a wired goroutine has taken the P along to its own thread and has
 * parked, so that the P is idle without an M, and the one that had it is spare. The next
 * goroutine runs there, until another one has.
 */
/* fixed procs */
#include "chans.h"
#include "sched/idle.h"
#include "sched/monitor.h"
#include "sched/spare.h"
#include "test.h"

static tuco_chan *wakes;
static atomic_int computing;
static atomic_int ran;

static void wait_wired(void *arg) {
    (void)arg;
    tuco_lock_thread();
    for (int i = 0; i < 3; i++) {
        ASSERT_EQ(test_recv(wakes), i);
    }
    tuco_unlock_thread();
}

static void compute(void *arg) {
    (void)arg;
    atomic_store(&computing, 1);
    while (atomic_load(&ran) == 0) {
        tuco_checkpoint();
    }
}

static void run(void *arg) {
    (void)arg;
    atomic_store(&ran, 1);
}

static void await_rest(void) {
    while (!rt_idle_all() || rt_load_rlx(&rt_monitor_dormant) == 0) {
        sched_yield();
    }
}

TEST(computing_after_a_rest) {
    test_setenv("TUCOPROCS", "1");
    ASSERT_EQ(tuco_start(), 0);
    wakes = CHAN(int, 0);
    ASSERT_EQ(tuco_go(wait_wired, NULL), 0);
    for (int i = 0; i < 2; i++) {
        test_send(wakes, i);
        await_rest();
    }
    while (rt_spare_count() == 0) {
        sched_yield();
    }
    ASSERT_EQ(tuco_go(compute, NULL), 0);
    test_spin(&computing, 1);
    ASSERT_EQ(tuco_go(run, NULL), 0);
    test_spin(&ran, 1);
    test_send(wakes, 2);
    ASSERT_EQ(tuco_stop(TUCO_NEVER), 0);
    tuco_chan_unref(wakes);
}
