/* SPDX-License-Identifier: MIT */
/* Proves: goroutines are interrupted even if the kernel has no room for the data of a
   signal, and the program gets signals that may be its own. */
/*
 * Bug. The runtime's own signals carry a mark; it passes all others on to the program. If
 * the user has reached the limit of pending signals, they arrive without their data:
 * goroutines that computed were then never interrupted.
 *
 * Fix. A thread that expects a signal of the runtime takes one without data as such, and
 * also passes it on: was_sent() in preempt.c.
 *
 * Fails without it: main computes until the other goroutine has run.
 */
/* fixed procs */
/* not under tsan */
#include "ran.h"

#include <signal.h>
#include <sys/resource.h>

static atomic_int handled;

static void count(int signal) {
    (void)signal;
    atomic_fetch_add(&handled, 1);
}

static int compute_main(void *arg) {
    (void)arg;
    ASSERT_EQ(tuco_go(ran_set, NULL), 0);
    test_spin(&ran, 1);
    return 0;
}

TEST(signals_without_room) {
    struct rlimit none = {.rlim_cur = 0, .rlim_max = 0};
    struct sigaction action = {.sa_handler = count};
    ASSERT_EQ(setrlimit(RLIMIT_SIGPENDING, &none), 0);
    ASSERT_EQ(sigaction(SIGURG, &action, NULL), 0);
    test_setenv("TUCOPROCS", "1");
    do { /* on a busy machine the P may be taken without a signal */
        atomic_store(&ran, 0);
        RUN(compute_main);
    } while (atomic_load(&handled) == 0);
    int before = atomic_load(&handled);
    ASSERT_EQ(raise(SIGURG), 0);
    ASSERT_EQ(atomic_load(&handled), before + 1);
}
