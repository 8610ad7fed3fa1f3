/* SPDX-License-Identifier: MIT */
/* Proves: when nothing is left behind the runtime can be run again, on whatever thread
   main returned and however short the slice is. */
/* fixed procs */
/*
 * Bug. When main has returned, a thread that goes on computing is given up, and the
 * runtime with it. Computing was judged by the slice, and the thread on which main had
 * returned, still on its way out of main, was judged like the others. With a slice of a
 * microsecond any thread was found guilty, and the next tuco_run() returned -EBUSY.
 *
 * Fix. The grace is a fixed time, and the thread that main returned on is exempt.
 *
 * Fails without it: main yields to 100 others and so moves from thread to thread; in one
 * round of a few some thread is still on its way out when it is looked at.
 */
#include "test.h"

#define GOROUTINES 100
#define ROUNDS     TEST_SIZE(300, 60)

static void yield_once(void *arg) {
    (void)arg;
    tuco_yield();
}

static int run_main(void *arg) {
    (void)arg;
    for (int i = 0; i < GOROUTINES; i++) {
        ASSERT_EQ(tuco_go(yield_once, NULL), 0);
    }
    while (tuco_count() > 1) {
        tuco_yield();
    }
    return 0;
}

TEST(run_again_after_main_moved) {
    tuco_config config = {.slice = TUCO_MICROSECOND};
    test_setenv("TUCOPROCS", "4");
    ASSERT_EQ(tuco_configure(&config), 0);
    for (int i = 0; i < ROUNDS; i++) {
        RUN(run_main);
    }
}
