/* SPDX-License-Identifier: MIT */
/* Proves: tuco_run() returns although wired goroutines still wait or yield, and these do
   not continue. */
#include "threads.h"

#include <errno.h>

#define COUNT 4

static tuco_wg never;
static atomic_int waiting;
static atomic_int yielding;

static void wait_wired(void *arg) {
    (void)arg;
    tuco_lock_thread();
    atomic_fetch_add(&waiting, 1);
    tuco_wg_wait(&never);
    ASSERT(!"ran on after main had returned");
}

static void yield_wired(void *arg) {
    (void)arg;
    tuco_lock_thread();
    atomic_fetch_add(&yielding, 1);
    for (;;) {
        tuco_yield();
    }
}

static int run_main(void *arg) {
    (void)arg;
    tuco_wg_add(&never, 1);
    for (int i = 0; i < COUNT; i++) {
        ASSERT_EQ(tuco_go(wait_wired, NULL), 0);
        ASSERT_EQ(tuco_go(yield_wired, NULL), 0);
    }
    test_await(&waiting, COUNT);
    test_await(&yielding, COUNT);
    return 5;
}

TEST(left_behind) {
    ASSERT_EQ(tuco_run(run_main, NULL), 5);
    ASSERT(on_first_thread());
    tuco_wg_done(&never);
    ASSERT_EQ(tuco_run(run_main, NULL), -EBUSY);
}
