/* SPDX-License-Identifier: MIT */
/* Proves: if many goroutines only yield, all of them run before any has run RUNS_MAX
   times. */
/* fixed procs */
#include "turns.h"

#define YIELDERS (TEST_LIVE_MAX < 20000 ? TEST_LIVE_MAX : 20000)

/* In strict turns, it would be 1. A thread that loses its CPU delays the goroutines of
   its ring, while those of other rings run. */
#define RUNS_MAX 1000

static tuco_wg wg;
static atomic_int counting; /* all are spawned */
static atomic_int ran;
static atomic_int over;

static void only_yield(void *arg) {
    (void)arg;
    int runs = 0;
    while (atomic_load(&over) == 0) {
        if (atomic_load(&counting) != 0) {
            runs++;
            if (runs == 1) {
                atomic_fetch_add(&ran, 1);
            }
            if (atomic_load(&ran) == YIELDERS || runs == RUNS_MAX) {
                atomic_store(&over, 1);
            }
        }
        tuco_yield();
    }
}

static int run_main(void *arg) {
    (void)arg;
    for (int i = 0; i < YIELDERS; i++) {
        ASSERT_EQ(tuco_wg_go(&wg, only_yield, NULL), 0);
    }
    atomic_store(&counting, 1);
    test_await(&over, 1);
    ASSERT_EQ(atomic_load(&ran), YIELDERS);
    tuco_wg_wait(&wg);
    return 0;
}

TURNS_TEST(one_p, 1, run_main)
TURNS_TEST(two_ps, 2, run_main)
TURNS_TEST(four_ps, 4, run_main)
TURNS_TEST(many_ps, 16, run_main)
