/* SPDX-License-Identifier: MIT */
/* Proves: TUCODEBUG=preemptmax bounds the threads that wait with an interrupted
   goroutine; all goroutines end, however many compute. */
/* fixed procs */
#include "hogs.h"

#define HOGS 32
#define SPAN (30 * TUCO_MILLISECOND)

/* Besides the waiting threads: one that runs, sysmon, threads that start and that end. */
#define OTHERS 8

static tuco_wg wg;
static int threads_before;
static int threads_max;
static atomic_int most;        /* threads seen at a time */
static atomic_int interrupted; /* hogs that have seen others run */

static void hog(void *arg) {
    (void)arg;
    int before = atomic_load(&turns);
    compute_for(SPAN);
    atomic_fetch_add(&interrupted, atomic_load(&turns) != before);
    int seen = test_count_threads() - threads_before;
    int old = atomic_load(&most);
    while (seen > old && !atomic_compare_exchange_weak(&most, &old, seen)) {
    }
}

static int run_main(void *arg) {
    (void)arg;
    turns_start();
    do { // beside other load their time may pass without a slice of CPU time
        for (int i = 0; i < HOGS; i++) {
            ASSERT_EQ(tuco_wg_go(&wg, hog, NULL), 0);
        }
        tuco_wg_wait(&wg);
    } while (atomic_load(&interrupted) == 0);
    turns_stop();
    ASSERT_LE(atomic_load(&most), threads_max);
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
