/* SPDX-License-Identifier: MIT */
/* Proves: a wired goroutine that was asked to give way and then waited is asked again
   when it computes later. */
/*
 * Bug. The monitor asks the goroutine that holds a P to give way, and then not again as
 * long as the same thread holds that P and nothing was scheduled there. A wired
 * goroutine that waits and goes on with the same P was taken for one that has held it
 * all along. If it had answered in between, when it could, nobody asked it any more.
 *
 * Fix. Going on after a wait begins a slice, got_p() in bound.c; and interrupt() in
 * retake.c asks each time, not once.
 *
 * Fails without it: W is asked while it may not be preempted, waits, and answers when it
 * is back on its P. Then it computes until X has run, for which there is no other P.
 */
/* fixed procs */
#include "arch/arch.h"
#include "chans.h"
#include "sched/enter.h"
#include "sched/idle.h"
#include "test.h"

static tuco_chan *wake;
static atomic_int steps; /* how far they are */
static atomic_int w_asked;
static atomic_int others; /* that have run */

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

/* Keeps the other P until the word is so high. */
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
    while (!rt_idle_all()) {
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
