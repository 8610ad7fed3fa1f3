/* SPDX-License-Identifier: MIT */
/* Proves: after tuco_procs(1), when the other processors have stopped, no goroutine runs
   beside one that computes. */
/* serial */
/* fixed procs */
#include "ran.h"

#include <time.h>

#define PROCS     4
#define SPAN      (20 * TUCO_MILLISECOND)
#define KEPT_MIN  10
#define TRIES_MAX 40

static atomic_int met;

static void meet(void *arg) {
    (void)arg;
    atomic_fetch_add(&met, 1);
    test_spin(&met, PROCS);
}

/* CPU time of this thread: while the thread has no CPU, others may run for long. */
static tuco_time thread_time(void) {
    struct timespec now;
    ASSERT_EQ(clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now), 0);
    return now.tv_sec * TUCO_SECOND + now.tv_nsec;
}

/* Returns whether a runnable goroutine did not run while this one computed. */
static bool kept_processor(void) {
    tuco_wg wg = {0};
    atomic_store(&ran, 0);
    ASSERT_EQ(tuco_wg_go(&wg, ran_set, NULL), 0);
    for (tuco_time end = thread_time() + SPAN; thread_time() < end;) {
    }
    bool kept = atomic_load(&ran) == 0;
    tuco_wg_wait(&wg);
    return kept;
}

/* Some tries may fail: a thread that gets no CPU can look asleep. */
static int run_main(void *arg) {
    (void)arg;
    tuco_wg wg = {0};
    for (int i = 1; i < PROCS; i++) {
        ASSERT_EQ(tuco_wg_go(&wg, meet, NULL), 0);
    }
    meet(NULL);
    tuco_wg_wait(&wg);
    ASSERT_EQ(tuco_procs(1), PROCS);
    int tries = 0;
    for (int kept = 0; kept < KEPT_MIN; tries++) {
        kept += kept_processor();
        ASSERT_LT(tries, TRIES_MAX);
    }
    return 0;
}

TEST(fewer_run_at_once) {
    test_setenv("TUCOPROCS", "4");
    test_setenv("TUCODEBUG", "asyncpreemptoff=1");
    RUN(run_main);
}
