/* SPDX-License-Identifier: MIT */
/* Proves: if no goroutine is left behind, the runtime can run again, on whichever thread
   main returned and however short the slice is. */
/* fixed procs */
/*
 * Bug. When main has returned, tuco_run stops waiting for a thread that keeps computing,
 * and the runtime cannot be used again. The limit was the slice, and it also applied to
 * the thread on which main had returned, which was still leaving main. With a slice of a
 * microsecond any thread exceeded it, and the next tuco_run() returned -EBUSY.
 *
 * Fix. The grace is a fixed time, and the thread that main returned on is exempt.
 *
 * Fails without it: main yields to 100 others and so moves from thread to thread; in one
 * of a few rounds some thread has not left yet when it is checked.
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
    test_await_alone();
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
