/* SPDX-License-Identifier: MIT */
/* Proves: goroutines in the run queues get their turns although more goroutines than
   preemptmax allows wait in signal handlers, and all of those compute for ever. */
/* fixed procs */
#include "hogs.h"

#define HOGS    12
#define SPAWNED 40

static atomic_int over;
static atomic_int begun;
static atomic_int ran;

static void hog(void *arg) {
    (void)arg;
    atomic_fetch_add(&begun, 1);
    compute_until(&over, 1);
}

static void take_turn(void *arg) {
    (void)arg;
    atomic_fetch_add(&ran, 1);
}

/* main spawns after most hogs have been stopped, and needs a turn itself to go on. */
static int run_main(void *arg) {
    tuco_wg wg = {0};
    tuco_wg turns_of_all = {0};
    (void)arg;
    for (int i = 0; i < HOGS; i++) {
        ASSERT_EQ(tuco_wg_go(&wg, hog, NULL), 0);
    }
    while (atomic_load(&begun) < HOGS) {
        tuco_yield();
    }
    for (int i = 0; i < SPAWNED; i++) {
        ASSERT_EQ(tuco_wg_go(&turns_of_all, take_turn, NULL), 0);
    }
    tuco_wg_wait(&turns_of_all);
    ASSERT_EQ(atomic_load(&ran), SPAWNED);
    atomic_store(&over, 1);
    tuco_wg_wait(&wg);
    return 0;
}

static void run_with(int procs) {
    hogs_use(procs);
    test_setenv("TUCODEBUG", "preemptmax=4");
    RUN(run_main);
}

TEST(one_processor) {
    run_with(1);
}

TEST(two_processors) {
    run_with(2);
}
