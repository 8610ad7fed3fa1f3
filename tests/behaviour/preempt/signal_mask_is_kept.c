/* SPDX-License-Identifier: MIT */
/* Proves: signals that a goroutine blocks stay blocked in its thread while it is
   interrupted, and in no other thread. */
/* fixed procs */
#include "hogs.h"

#include <signal.h>

static tuco_wg wg;
static sigset_t at_start;
static atomic_int handled;
static atomic_int looks;
static atomic_int over;

static void count(int signal) {
    (void)signal;
    atomic_fetch_add(&handled, 1);
}

static void expect_mask(int also_blocked) {
    sigset_t mine;
    ASSERT_EQ(pthread_sigmask(SIG_SETMASK, NULL, &mine), 0);
    for (int sig = 1; sig < NSIG; sig++) {
        ASSERT_EQ(sigismember(&mine, sig),
                  sig == also_blocked || sigismember(&at_start, sig) == 1);
    }
}

/* Runs while main is interrupted, on a thread that may be new. */
static void look_elsewhere(void *arg) {
    (void)arg;
    while (atomic_load(&over) == 0) {
        expect_mask(0);
        atomic_fetch_add(&looks, 1);
        tuco_yield();
    }
}

static void compute_for_looks(int n) {
    for (int before = atomic_load(&looks); atomic_load(&looks) - before < n;) {
    }
}

static int run_main(void *arg) {
    (void)arg;
    sigset_t user;
    sigemptyset(&user);
    sigaddset(&user, SIGUSR1);
    ASSERT_EQ(tuco_wg_go(&wg, look_elsewhere, NULL), 0);
    compute_for_looks(3);
    expect_mask(0);
    ASSERT_EQ(pthread_sigmask(SIG_BLOCK, &user, NULL), 0);
    ASSERT_EQ(raise(SIGUSR1), 0);
    compute_for_looks(HOG_TURNS);
    expect_mask(SIGUSR1);
    ASSERT_EQ(atomic_load(&handled), 0);
    ASSERT_EQ(pthread_sigmask(SIG_UNBLOCK, &user, NULL), 0);
    ASSERT_EQ(atomic_load(&handled), 1);
    atomic_store(&over, 1);
    tuco_wg_wait(&wg);
    return 0;
}

TEST(signal_mask_is_kept) {
    struct sigaction action = {.sa_handler = count};
    hogs_use(1);
    ASSERT_EQ(sigaction(SIGUSR1, &action, NULL), 0);
    ASSERT_EQ(pthread_sigmask(SIG_SETMASK, NULL, &at_start), 0);
    RUN(run_main);
}
