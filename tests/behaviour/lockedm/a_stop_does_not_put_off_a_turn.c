/* SPDX-License-Identifier: MIT */
/* Proves: a goroutine that a signal has stopped resumes after a few slices of goroutines
   that compute, although a signal stops each of these while another one is in line. */
/* fixed procs */
#include "hogs.h"

/* The locked list has a turn after the one in line, and the first in it may be passed over
   three times. A few more begin if a thread waits for a CPU for so long that it counts as
   asleep. */
#define BEGUN_MAX 12
#define CHAIN     (2 * BEGUN_MAX)

static tuco_wg all;
static atomic_int ready;
static atomic_int begun;
static atomic_int over;

/* When all of these have ended, there is a spare thread for each one that is stopped later.
   Without a spare thread, a P goes straight from one stopped goroutine to another. */
static void make_spare_thread(void *arg) {
    (void)arg;
    atomic_fetch_add(&ready, 1);
    compute_until(&ready, CHAIN);
}

static void make_spare_threads(void) {
    for (int i = 0; i < CHAIN; i++) {
        ASSERT_EQ(tuco_wg_go(&all, make_spare_thread, NULL), 0);
    }
    tuco_wg_wait(&all);
}

/* Puts the next one in line. */
static void compute(void *arg) {
    if (atomic_fetch_add(&begun, 1) < CHAIN) {
        ASSERT_EQ(tuco_wg_go(&all, compute, arg), 0);
    }
    compute_until(&over, 1);
}

static int run_main(void *arg) {
    make_spare_threads();
    ASSERT_EQ(tuco_wg_go(&all, compute, arg), 0);
    while (atomic_load(&begun) == 0) { // until a signal stops it, and it resumes
    }
    int begun_meanwhile = atomic_load(&begun);
    atomic_store(&over, 1);
    tuco_wg_wait(&all);
    ASSERT_LE(begun_meanwhile, BEGUN_MAX);
    return 0;
}

TEST(a_stop_does_not_put_off_a_turn) {
    hogs_use(1);
    RUN(run_main);
}
