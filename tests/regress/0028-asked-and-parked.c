/* SPDX-License-Identifier: MIT */
/* Proves: if sysmon requests a yield of a wired goroutine, which then waits, it requests
   again when the goroutine computes later. */
/*
 * Bug. Sysmon requests that the goroutine which holds a P yields, and does not repeat the
 * request while the same thread holds that P and nothing was scheduled there. To sysmon a
 * wired goroutine that waited and continued with the same P had held it all the time. If
 * it had answered in between, sysmon made no further request.
 *
 * Fix. Continuing after a wait begins a slice: got_p() in lockedm.c; and interrupt() in
 * retake.c requests each time, not once.
 *
 * Fails without it: W gets a request while it may not be preempted, waits, and answers
 * when it is back on its P. Then it computes until X has run, for which there is no other
 * P.
 */
/* fixed procs */
#include "arch/arch.h"
#include "chans.h"
#include "sched/syscall/enter.h"
#include "sched/thread/wakep.h"
#include "test.h"

static tuco_chan *wake;
static atomic_int steps; /* how many steps they have reached */
static atomic_int w_asked;
static atomic_int others; /* how many have run */

static void wired(void *arg) { // W
    (void)arg;
    tuco_lock_thread();
    tuco_preempt_off();
    atomic_fetch_add(&steps, 1);
    while ((rt_load_rlx(&arch_self()->asked) & RT_ASKED_YIELD) == 0) {
        sched_yield();
    }
    atomic_store(&w_asked, 1);
    test_spin(&others, 1); // on the other P
    ASSERT_EQ(test_recv(wake), 0);
    tuco_preempt_on();
    atomic_fetch_add(&steps, 1);
    while (atomic_load(&others) < 2) {
        tuco_checkpoint();
    }
}

/* Keeps the other P until the word is high enough. */
static void keep_until(void *word) {
    tuco_preempt_off();
    atomic_fetch_add(&steps, 1);
    while (atomic_load((atomic_int *)word) < (word == &others ? 2 : 1)) {
        sched_yield();
    }
    tuco_preempt_on();
}

static void other(void *arg) { // X
    (void)arg;
    atomic_fetch_add(&others, 1);
}

TEST(asked_and_parked) {
    test_setenv("TUCOPROCS", "2");
    ASSERT_EQ(tuco_start(), 0);
    wake = CHAN(int, 0);
    ASSERT_EQ(tuco_go(wired, NULL), 0);
    test_spin(&steps, 1);
    ASSERT_EQ(tuco_go(keep_until, &w_asked), 0);
    test_spin(&steps, 2);
    ASSERT_EQ(tuco_go(other, NULL), 0);
    test_spin(&others, 1);
    while (!rt_pidle_all()) {
        sched_yield();
    }
    ASSERT_EQ(tuco_go(keep_until, &others), 0); // on the P that has an M
    test_spin(&steps, 3);
    test_send(wake, 0);
    test_spin(&steps, 4);
    ASSERT_EQ(tuco_go(other, NULL), 0);
    ASSERT_EQ(tuco_stop(TUCO_NEVER), 0);
    tuco_chan_unref(wake);
}
