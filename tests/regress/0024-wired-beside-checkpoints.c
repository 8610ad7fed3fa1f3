/* SPDX-License-Identifier: MIT */
/* Proves: a wired goroutine that wakes gets its turn beside goroutines that compute with
   checkpoints. */
/*
 * Bug. As in 0023: a wired goroutine waits in the same list as interrupted goroutines,
 * and the list got no P as long as others with checkpoints ran in turn.
 *
 * Fix. rt_lockedm_have_turn().
 *
 * Fails without it: with one P only one goroutine runs at a time, so that a change of the
 * last runner counts as a turn. Each wake-up comes while the others run in turn, and
 * would take dozens of their turns.
 */
/* fixed procs */
#include "chans.h"
#include "test.h"

#define POLITE       2
#define WAKES        20
#define TURNS_MAX    (WAKES * POLITE * 5)
#define NO_GOROUTINE (-1)

static tuco_chan *wakes;
static atomic_int last = NO_GOROUTINE;
static atomic_int turns;
static atomic_int over;

static void compute_politely(void *arg) {
    int self = (int)(intptr_t)arg;
    while (atomic_load(&over) == 0) {
        if (atomic_load(&last) != self) {
            atomic_store(&last, self);
            ASSERT_LT(atomic_fetch_add(&turns, 1), TURNS_MAX);
        }
        tuco_checkpoint();
    }
}

static void wait_wired(void *arg) {
    (void)arg;
    tuco_lock_thread();
    for (int i = 0; i < WAKES; i++) {
        ASSERT_EQ(test_recv(wakes), i);
        atomic_store(&last, NO_GOROUTINE);
    }
    atomic_store(&over, 1);
}

TEST(wired_beside_checkpoints) {
    test_setenv("TUCOPROCS", "1");
    ASSERT_EQ(tuco_start(), 0);
    wakes = CHAN(int, 0);
    ASSERT_EQ(tuco_go(wait_wired, NULL), 0);
    for (intptr_t i = 0; i < POLITE; i++) {
        ASSERT_EQ(tuco_go(compute_politely, (void *)i), 0);
    }
    for (int i = 0; i < WAKES; i++) {
        while (atomic_load(&last) == NO_GOROUTINE) {
            sched_yield();
        }
        test_send(wakes, i); // sent by this thread, which needs no turn
    }
    ASSERT_EQ(tuco_stop(TUCO_NEVER), 0);
    tuco_chan_unref(wakes);
}
