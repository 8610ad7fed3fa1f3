/* SPDX-License-Identifier: MIT */
/* Proves: TUCODEBUG=preemptmax bounds the threads that wait with an interrupted
   goroutine: beyond it there is one more in several slices at most. All goroutines end,
   however many compute. */
/* fixed procs */
#include "hogs.h"

#define HOGS 32
#define SPAN (30 * TUCO_MILLISECOND)

/* See 'Too many stopped' in lockedm.c. */
#define SLICE         (10 * TUCO_MILLISECOND)
#define EXCHANGES_MAX 3

/* Besides the waiting threads: one that runs, sysmon, the starter, spare ones. */
#define OTHERS 6

static tuco_wg wg;
static int threads_before;
static int threads_max;
static tuco_time began;
static atomic_int beyond;      /* threads_max, the most that were seen */
static atomic_int interrupted; /* hogs that have seen others run */

static void hog(void *arg) {
    (void)arg;
    int before = atomic_load(&turns);
    compute_for(SPAN);
    atomic_fetch_add(&interrupted, atomic_load(&turns) != before);
    int late = (int)((hog_clock() - began) / (SLICE * (EXCHANGES_MAX + 1)));
    int seen = test_count_threads() - threads_before - threads_max - late;
    int old = atomic_load(&beyond);
    while (seen > old && !atomic_compare_exchange_weak(&beyond, &old, seen)) {
    }
}

static int run_main(void *arg) {
    (void)arg;
    turns_start();
    began = hog_clock();
    do { // beside other load their time may pass without a slice of CPU time
        for (int i = 0; i < HOGS; i++) {
            ASSERT_EQ(tuco_wg_go(&wg, hog, NULL), 0);
        }
        tuco_wg_wait(&wg);
    } while (atomic_load(&interrupted) == 0);
    turns_stop();
    ASSERT_EQ(atomic_load(&beyond), 0);
    return 0;
}

static void run_with(const char *debug, int waiting_max) {
    hogs_use(1);
    test_setenv("TUCODEBUG", debug);
    threads_before = test_count_threads();
    threads_max = waiting_max + OTHERS;
    RUN(run_main);
    EXPECT_THREADS(threads_before);
}

TEST(two) {
    run_with("preemptmax=2", 2);
}

TEST(ten) {
    run_with("preemptmax=10", 10);
}
