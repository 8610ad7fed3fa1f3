/* SPDX-License-Identifier: MIT */
/* Proves: if a goroutine that has yielded computes for many slices, the next one that has
   yielded waits for eight slices of others, and not for eight times as long as the first
   has computed, even if there are always others in the ring. */
/* fixed procs */
#include "meeting.h"
#include "turns.h"

#define SPAN (200 * TUCO_MICROSECOND)
#define LONG (300 * TUCO_MILLISECOND)

/* Eight slices of 10 ms, and the looks before and after them at every 61st turn, of which
   each second one is for yielded goroutines. Eight times LONG would be 12,000 turns. */
#define TURNS_MAX (8 * (int)(10 * TUCO_MILLISECOND / SPAN) + 4 * 61)
#define GIVE_UP   (3 * TURNS_MAX)

static tuco_wg wg;
static atomic_int turns;
static atomic_int began; /* turns when the long turn was over, or 0 */
static atomic_int over;

static void work(void *number) {
    int self = (int)(intptr_t)number;
    while (atomic_load(&over) == 0) {
        turns_compute(SPAN);
        int turn = atomic_fetch_add(&turns, 1);
        if (atomic_load(&began) != 0 && turn - atomic_load(&began) > GIVE_UP) {
            atomic_store(&over, 1);
        }
        meeting_wait(self);
    }
    meeting_wake_all_but(self);
}

/* It cannot be preempted, so that its turn is long. */
static void compute_long(void *arg) {
    (void)arg;
    tuco_yield();
    tuco_preempt_off();
    turns_compute(LONG);
    atomic_store(&began, atomic_load(&turns));
    tuco_preempt_on();
}

static int run_main(void *arg) {
    (void)arg;
    meeting_begin(&wg, work);
    ASSERT_EQ(tuco_wg_go(&wg, compute_long, NULL), 0);
    while (atomic_load(&began) == 0) {
        tuco_yield();
    }
    int waited = atomic_load(&turns) - atomic_load(&began);
    atomic_store(&over, 1);
    tuco_wg_wait(&wg);
    meeting_end();
    ASSERT_LE(waited, TURNS_MAX);
    return 0;
}

TURNS_TEST(beside_a_ring_that_is_never_empty, 1, run_main)
