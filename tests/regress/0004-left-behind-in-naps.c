/* SPDX-License-Identifier: MIT */
/* Proves: tuco_run returns although a goroutine that it leaves behind sleeps in the
   kernel repeatedly. */
/* fixed procs */
/*
 * Bug. When main has returned, tuco_run checks the threads that still run a goroutine
 * from time to time. It stopped waiting for a thread that was asleep at 25 consecutive
 * checks without having run in between. A goroutine that sleeps a fifth of a second at a
 * time had always run in between. It also uses almost no CPU time, which was the other
 * reason to stop waiting.
 *
 * Fix. All checks at which the thread was asleep count, consecutive or not.
 *
 * Fails without it: 25 checks, 10 ms apart, do not fit into one sleep, and each sleep
 * uses microseconds of the 10 ms of CPU time; it takes minutes instead of a quarter of a
 * second.
 */
#include "test.h"

#include <errno.h>
#include <unistd.h>

#define NAP_US 200000 /* less than 25 checks take; the test depends on its length */
#define LIMIT  (10 * TUCO_SECOND)

static atomic_int napping;

static void nap(void *arg) {
    (void)arg;
    atomic_store(&napping, 1);
    for (;;) {
        usleep(NAP_US);
    }
}

/* Spins, so that a thread other than tuco_run's own takes the goroutine: if the caller
   ran it, it could not return. */
static int run_main(void *arg) {
    (void)arg;
    ASSERT_EQ(tuco_go(nap, NULL), 0);
    test_spin(&napping, 1);
    return 0;
}

TEST(left_behind_in_naps) {
    test_setenv("TUCOPROCS", "2");
    tuco_time begin = tuco_now();
    RUN(run_main);
    ASSERT_LT(tuco_now() - begin, LIMIT);
    ASSERT_EQ(tuco_run(run_main, NULL), -EBUSY);
}
