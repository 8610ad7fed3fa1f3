/* SPDX-License-Identifier: MIT */
/* Proves: a deferred call may block and yield; the calls deferred before it wait for
   it. */
#include "test.h"

static tuco_wg gate;
static tuco_wg end;
static atomic_int entered;
static atomic_int passed;

static void finish(void *arg) {
    (void)arg;
    ASSERT_EQ(atomic_load(&passed), 1);
    tuco_wg_done(&end);
}

static void block(void *arg) {
    (void)arg;
    atomic_store(&entered, 1);
    tuco_yield();
    tuco_wg_wait(&gate);
    atomic_store(&passed, 1);
}

static void body(void *arg) {
    (void)arg;
    ASSERT_EQ(tuco_defer(finish, NULL), 0);
    ASSERT_EQ(tuco_defer(block, NULL), 0);
}

static int run_main(void *arg) {
    (void)arg;
    tuco_wg_add(&gate, 1);
    tuco_wg_add(&end, 1);
    ASSERT_EQ(tuco_go(body, NULL), 0);
    test_await(&entered, 1);
    ASSERT_EQ(tuco_count(), 2); // a goroutine lives until its deferred calls have run
    tuco_wg_done(&gate);
    tuco_wg_wait(&end);
    return 0;
}

TEST(defer_blocks) {
    RUN(run_main);
}
