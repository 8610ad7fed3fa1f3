/* SPDX-License-Identifier: MIT */
/* Proves: a goroutine that computes with all signals blocked occupies only its own
   processor: on the other, goroutines run and are interrupted as before. */
/* fixed procs */
#include "hogs.h"

#include <signal.h>

static tuco_wg wg;
static atomic_int computing;
static atomic_int released;
static atomic_int ended;

static void compute_blocked(void *arg) {
    (void)arg;
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    ASSERT_EQ(pthread_sigmask(SIG_SETMASK, &all, &before), 0);
    atomic_store(&computing, 1);
    compute_until(&released, 1);
    ASSERT_EQ(pthread_sigmask(SIG_SETMASK, &before, NULL), 0); // pending ones arrive now
    atomic_store(&ended, 1);
}

/* Main and the goroutine that counts turns share one processor. */
static int run_main(void *arg) {
    (void)arg;
    ASSERT_EQ(tuco_wg_go(&wg, compute_blocked, NULL), 0);
    test_await(&computing, 1);
    turns_start();
    compute_for_turns(HOG_TURNS);
    ASSERT_EQ(atomic_load(&ended), 0);
    atomic_store(&released, 1);
    tuco_wg_wait(&wg);
    compute_for_turns(1);
    turns_stop();
    return 0;
}

TEST(hog_without_signals) {
    hogs_use(2);
    RUN(run_main);
}
