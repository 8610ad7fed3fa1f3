/* SPDX-License-Identifier: MIT */
/* Proves: a goroutine that yields because a timer is due, and has not used up its slice,
   goes on after those that the timer wakes, and before goroutines that only yield. */
/* fixed procs */
/* serial */
#include "turns.h"

#define TRIES    40
#define YIELDERS 3
#define TURN     (2 * TUCO_MILLISECOND)
#define PIECE    (20 * TUCO_MICROSECOND)

static tuco_wg wg;
static tuco_chan *room;
static atomic_int over;
static atomic_int turns;
static atomic_int woken;

static void compute_and_yield(void *arg) {
    (void)arg;
    while (atomic_load(&over) == 0) {
        atomic_fetch_add(&turns, 1);
        turns_compute(TURN);
        tuco_yield();
    }
}

static void be_woken(void *arg) {
    (void)arg;
    atomic_store(&woken, 1);
}

/* Computes, with calls of the library, until the timer's goroutine has run. Returns how
   many turns the others had meanwhile. */
static int turns_of_others(void) {
    int value = 0;
    atomic_store(&woken, 0);
    tuco_sleep(TUCO_MICROSECOND); // the others have a turn, and this goroutine is woken
    int before = atomic_load(&turns);
    tuco_timer *timer = tuco_timer_func(TUCO_MILLISECOND / 5, be_woken, NULL);
    ASSERT(timer != NULL);
    while (atomic_load(&woken) == 0) {
        turns_compute(PIECE);
        (void)tuco_chan_try_recv(room, &value);
    }
    int others = atomic_load(&turns) - before;
    tuco_timer_free(timer);
    return others;
}

/* On a busy machine a slice may end before the timer is fired. */
static int run_main(void *arg) {
    (void)arg;
    int undisturbed = 0;
    room = tuco_chan_make(sizeof(int), 1);
    ASSERT(room != NULL);
    for (int i = 0; i < YIELDERS; i++) {
        ASSERT_EQ(tuco_wg_go(&wg, compute_and_yield, NULL), 0);
    }
    for (int i = 0; i < TRIES; i++) {
        undisturbed += turns_of_others() == 0;
    }
    atomic_store(&over, 1);
    tuco_wg_wait(&wg);
    tuco_chan_unref(room);
    ASSERT_GE(undisturbed, TRIES / 4);
    return 0;
}

TURNS_TEST(one_p, 1, run_main)
