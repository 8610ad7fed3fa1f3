/* SPDX-License-Identifier: MIT */
/* Proves: the runtime's threads have the signal mask of the starting thread, without
   SIGURG, and the caller of tuco_run has its own mask again afterwards. */
/* fixed procs */
#include "test.h"

#include <signal.h>
#include <unistd.h>

static tuco_wg wg;
static atomic_int started;

/* All run at once, so that at least four threads check their mask. */
static void check_mask(void *arg) {
    sigset_t mine;
    const sigset_t *wanted = arg;
    ASSERT_EQ(pthread_sigmask(SIG_SETMASK, NULL, &mine), 0);
    for (int sig = 1; sig < NSIG; sig++) {
        ASSERT_EQ(sigismember(&mine, sig), sig != SIGURG && sigismember(wanted, sig));
    }
    atomic_fetch_add(&started, 1);
    test_spin(&started, 4);
}

static int run_main(void *arg) {
    for (int i = 0; i < 4; i++) {
        ASSERT_EQ(tuco_wg_go(&wg, check_mask, arg), 0);
    }
    tuco_wg_wait(&wg);
    return 0;
}

static void run_with_mask(int (*fill)(sigset_t *), int exception) {
    sigset_t mask;
    fill(&mask);
    sigaddset(&mask, SIGUSR1);
    sigdelset(&mask, exception);
    ASSERT_EQ(pthread_sigmask(SIG_SETMASK, &mask, NULL), 0);
    // reads it back, without the signals that cannot be blocked
    ASSERT_EQ(pthread_sigmask(SIG_SETMASK, NULL, &mask), 0);
    ASSERT_EQ(tuco_run(run_main, &mask), 0);
    sigset_t after;
    ASSERT_EQ(pthread_sigmask(SIG_SETMASK, NULL, &after), 0);
    for (int sig = 1; sig < NSIG; sig++) {
        ASSERT_EQ(sigismember(&after, sig), sigismember(&mask, sig));
    }
}

TEST(mostly_open_mask) {
    test_setenv("TUCOPROCS", "4");
    run_with_mask(sigemptyset, SIGTERM);
}

TEST(mostly_blocked_mask) {
    test_setenv("TUCOPROCS", "4");
    run_with_mask(sigfillset, SIGTERM);
}
