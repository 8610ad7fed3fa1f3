/* SPDX-License-Identifier: MIT */
/* Proves: goroutines that were spawned early run within a fraction of a second of CPU
   time, although new ones overflow the rings all the time. */
/* fixed procs */
/* not under tsan */
#include "turns.h"

#define OLD    1000
#define TREES  4
#define LEAVES 500
#define STEP   TUCO_MICROSECOND

/* They leave the global queue within 50 ms, while each P uses so much CPU time at most.
   Some overflow a ring once more. */
#define CPU_MAX(procs) ((1 + (procs)) * 50 * TUCO_MILLISECOND)
#define GIVE_UP        (1500 * TUCO_MILLISECOND)

static tuco_wg old_wg;
static tuco_wg new_wg;
static atomic_int old_ran;
static tuco_time last_ran;   /* CPU time of the process when the last old one ran */
static tuco_time limit_time; /* the new ones end then at the latest */

static void count_old(void *arg) {
    (void)arg;
    if (atomic_fetch_add(&old_ran, 1) + 1 == OLD) {
        last_ran = turns_clock(CLOCK_PROCESS_CPUTIME_ID);
    }
}

static void be_a_leaf(void *arg) {
    (void)arg;
    turns_compute(STEP);
}

/* Spawns a goroutine that continues the tree, and leaves: more than a ring has room
   for. */
static void grow(void *arg) {
    (void)arg;
    if (atomic_load(&old_ran) == OLD ||
        turns_clock(CLOCK_PROCESS_CPUTIME_ID) >= limit_time) {
        return;
    }
    ASSERT_EQ(tuco_wg_go(&new_wg, grow, NULL), 0);
    for (int i = 0; i < LEAVES; i++) {
        ASSERT_EQ(tuco_wg_go(&new_wg, be_a_leaf, NULL), 0);
    }
}

static tuco_time wait_of_the_oldest(void *arg) {
    (void)arg;
    tuco_time start = turns_clock(CLOCK_PROCESS_CPUTIME_ID);
    limit_time = start + GIVE_UP;
    atomic_store(&old_ran, 0);
    for (int i = 0; i < OLD; i++) {
        ASSERT_EQ(tuco_wg_go(&old_wg, count_old, NULL), 0);
    }
    for (int i = 0; i < TREES; i++) {
        ASSERT_EQ(tuco_wg_go(&new_wg, grow, NULL), 0);
    }
    tuco_wg_wait(&new_wg);
    tuco_wg_wait(&old_wg);
    return last_ran - start;
}

static int run_main(void *arg) {
    turns_expect_at_most(CPU_MAX(tuco_procs(0)), wait_of_the_oldest, arg);
    return 0;
}

TURNS_TEST(one_p, 1, run_main)
TURNS_TEST(two_ps, 2, run_main)
TURNS_TEST(four_ps, 4, run_main)
