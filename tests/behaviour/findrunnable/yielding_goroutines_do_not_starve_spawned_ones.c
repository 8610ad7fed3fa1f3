/* SPDX-License-Identifier: MIT */
/* Proves: spawned goroutines run within a few turns of goroutines that compute and yield,
   even if a ring has no room for all that were spawned. */
/* Under TSan a thousand goroutines take longer than so many turns of 200 us. */
/* fixed procs */
/* not under tsan */
#include "turns.h"

#define YIELDERS 8
#define SPAWNED  1000
#define SPAN     (200 * TUCO_MICROSECOND)

/* With one P, the turn under way. With several, a P that loses its CPU holds up what is
   in its ring, and the others run on. */
#define TURNS_MAX (8 * YIELDERS)

#define GIVE_UP 5000

static tuco_wg wg;
static atomic_int turns;
static atomic_int spawned_at; /* turns when the spawning began */
static atomic_int ran;
static atomic_int ran_at; /* turns when the last ran, or 0 */

static void count_itself(void *arg) {
    (void)arg;
    if (atomic_fetch_add(&ran, 1) + 1 == SPAWNED) {
        atomic_store(&ran_at, atomic_load(&turns));
    }
}

static void spawn_all(void) {
    atomic_store(&spawned_at, atomic_load(&turns));
    for (int i = 0; i < SPAWNED; i++) {
        ASSERT_EQ(tuco_wg_go(&wg, count_itself, NULL), 0);
    }
}

/* The goroutine that has turn number 10 * YIELDERS spawns them, and continues. */
static void compute_and_yield(void *arg) {
    (void)arg;
    while (atomic_load(&ran) < SPAWNED && atomic_load(&turns) < GIVE_UP) {
        turns_compute(SPAN);
        if (atomic_fetch_add(&turns, 1) == 10 * YIELDERS) {
            spawn_all();
        }
        tuco_yield();
    }
}

static tuco_time count_turns(void *arg) {
    (void)arg;
    atomic_store(&turns, 0);
    atomic_store(&ran, 0);
    for (int i = 0; i < YIELDERS; i++) {
        ASSERT_EQ(tuco_wg_go(&wg, compute_and_yield, NULL), 0);
    }
    tuco_wg_wait(&wg);
    return atomic_load(&ran_at) - atomic_load(&spawned_at);
}

static int run_main(void *arg) {
    turns_expect_at_most(TURNS_MAX, count_turns, arg);
    return 0;
}

TURNS_TEST(one_p, 1, run_main)
TURNS_TEST(two_ps, 2, run_main)
TURNS_TEST(four_ps, 4, run_main)
