/* SPDX-License-Identifier: MIT */
/* Proves: tuco_run returns although a goroutine that it leaves behind naps in the kernel
   again and again. */
/* fixed procs */
/*
 * Bug. When main has returned, the threads that still run a goroutine are looked at every
 * now and then: one that was asleep 25 times in a row, without having run in between, was
 * given up. A goroutine that sleeps a fifth of a second at a time had always run in
 * between, and uses next to no CPU time, which was the other reason to give it up.
 *
 * Fix. All looks in which the thread was asleep count, in a row or not.
 *
 * Fails without it: 25 looks, 10 ms apart, do not fit into one nap, and each nap costs
 * microseconds of the 10 ms of CPU time; it takes minutes where now it takes a quarter of
 * a second.
 */
#include "test.h"

#include <errno.h>
#include <unistd.h>

#define NAP_US 200000 /* less than the 25 looks take; its length is what is tested */
#define LIMIT  (10 * TUCO_SECOND)

static atomic_int napping;

static void nap(void *arg) {
    (void)arg;
    atomic_store(&napping, 1);
    for (;;) {
        usleep(NAP_US);
    }
}

/* Spins, so that another thread than tuco_run's own takes the goroutine: a caller that
   runs it itself cannot return. */
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
