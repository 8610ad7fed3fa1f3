/* SPDX-License-Identifier: MIT */
/* Proves: a goroutine that computes is requested to yield even after all processors were
   idle for long and its processor had no thread. */
/*
 * Bug. When all Ps have been idle for a while, sysmon sleeps until an M gets a P and
 * wakes it. An M gets a P when it is woken with its own, when it returns from a call, or
 * as a spare M; a spare M did not wake sysmon. So the goroutine that ran there kept its P
 * for as long as it liked.
 *
 * Fix. rt_midle_wait() wakes sysmon.
 *
 * Fails without it: a wired goroutine has taken the P to its own thread and has parked,
 * so that the P is idle without an M, and the M that had it is spare. The next goroutine
 * runs there, and ends only after another one has run.
 */
/* fixed procs */
#include "chans.h"
#include "sched/thread/wakep.h"
#include "sched/sysmon/sysmonnote.h"
#include "sched/thread/startm.h"
#include "ran.h"

static tuco_chan *wakes;
static atomic_int computing;

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

static void await_rest(void) {
    while (!rt_pidle_all() || rt_load_rlx(&rt_sysmon_dormant) == 0) {
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
    while (rt_midle_count() == 0) {
        sched_yield();
    }
    ASSERT_EQ(tuco_go(compute, NULL), 0);
    test_spin(&computing, 1);
    ASSERT_EQ(tuco_go(ran_set, NULL), 0);
    test_spin(&ran, 1);
    test_send(wakes, 2);
    ASSERT_EQ(tuco_stop(TUCO_NEVER), 0);
    tuco_chan_unref(wakes);
}
