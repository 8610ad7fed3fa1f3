/* SPDX-License-Identifier: MIT */
/* Proves: goroutines are interrupted where the kernel has no room for what a signal
   carries, and the program gets signals that may be its own. */
/*
 * Bug. The runtime's own signals carry a mark, and all others are passed on to the program.
 * A user who has as many signals pending as he may gets them without what they carry:
 * goroutines that compute were never stopped then.
 *
 * Fix. A signal that carries nothing is taken as ours by a thread that expects one, and
 * passed on as well: was_sent() in preempt.c.
 *
 * Fails without it: main computes until the other goroutine has run.
 */
/* fixed procs */
/* not under tsan */
#include "test.h"

#include <signal.h>
#include <sys/resource.h>

static atomic_int ran;
static atomic_int handled;

static void run(void *arg) {
    (void)arg;
    atomic_store(&ran, 1);
}

static void count(int signal) {
    (void)signal;
    atomic_fetch_add(&handled, 1);
}

static int compute_main(void *arg) {
    (void)arg;
    ASSERT_EQ(tuco_go(run, NULL), 0);
    test_spin(&ran, 1);
    return 0;
}

TEST(signals_without_room) {
    struct rlimit none = {.rlim_cur = 0, .rlim_max = 0};
    struct sigaction action = {.sa_handler = count};
    ASSERT_EQ(setrlimit(RLIMIT_SIGPENDING, &none), 0);
    ASSERT_EQ(sigaction(SIGURG, &action, NULL), 0);
    test_setenv("TUCOPROCS", "1");
    RUN(compute_main);
    ASSERT_GE(atomic_load(&handled), 1);
    int before = atomic_load(&handled);
    ASSERT_EQ(raise(SIGURG), 0);
    ASSERT_EQ(atomic_load(&handled), before + 1);
}
