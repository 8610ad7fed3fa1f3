/* SPDX-License-Identifier: MIT */
/* Proves: a goroutine that a signal has interrupted, and that is left behind when the
   runtime ends, may announce a blocking call. */
/*
 * Bug. A goroutine that a signal has interrupted, and that waits for its turn, continues
 * when the runtime ends, because it may hold a lock of the C library; it then has no P.
 * If it announced a blocking call, and its last one had blocked, it read that P to see
 * whether others wait.
 *
 * Fix. tuco_blocking_enter() checks whether there is a P.
 *
 * Fails without it: with one P, main runs again only because the other goroutine was
 * interrupted, and returns at once.
 */
/* ThreadSanitizer delays signals while a thread only computes. */
/* not under tsan */
/* fixed procs */
#include "test.h"

#include <unistd.h>

static int ends[2];
static atomic_int computing;
static atomic_int ended;
static atomic_int announced;

static void block_compute_block(void *arg) {
    (void)arg;
    char byte;
    tuco_blocking_enter();
    ASSERT_EQ(read(ends[0], &byte, 1), 1); // main runs meanwhile: the P was taken
    tuco_blocking_exit();
    atomic_store(&computing, 1);
    test_spin(&ended, 1);
    tuco_blocking_enter();
    atomic_store(&announced, 1);
    tuco_blocking_exit(); // never returns
}

static int run_main(void *arg) {
    (void)arg;
    ASSERT_EQ(tuco_go(block_compute_block, NULL), 0);
    tuco_yield();
    ASSERT_EQ(write(ends[1], "x", 1), 1);
    test_await(&computing, 1);
    return 3;
}

TEST(announced_after_the_end) {
    ASSERT_EQ(pipe(ends), 0);
    test_setenv("TUCOPROCS", "1");
    ASSERT_EQ(tuco_run(run_main, NULL), 3);
    atomic_store(&ended, 1);
    test_spin(&announced, 1);
}
