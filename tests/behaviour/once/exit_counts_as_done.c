/* SPDX-License-Identifier: MIT */
/* Proves: a function that ends by tuco_exit() counts as called: waiting callers return,
   and no caller calls it again. (ON-02) */
#include "waiting.h"

static tuco_once once;
static tuco_wg end;
static int calls;
static atomic_int deferred;
static atomic_int may_exit;

static void count(void *arg) {
    ++*(atomic_int *)arg;
}

static void call_and_exit(void *arg) {
    (void)arg;
    calls++;
    ASSERT_EQ(tuco_defer(count, &deferred), 0);
    test_await(&may_exit, 1);
    tuco_exit();
}

static void use(void *arg) {
    ASSERT_EQ(tuco_defer(count, &deferred), 0);
    tuco_once_do(&once, call_and_exit, arg);
    ASSERT_EQ(calls, 1);
}

static int run_main(void *arg) {
    (void)arg;
    ASSERT_EQ(tuco_wg_go(&end, use, NULL), 0);
    ASSERT_EQ(tuco_wg_go(&end, use, NULL), 0);
    test_await_waiting("sync.Once.Do", 1);
    atomic_store(&may_exit, 1);
    tuco_wg_wait(&end);
    tuco_once_do(&once, call_and_exit, NULL);
    ASSERT_EQ(calls, 1);
    ASSERT_EQ(deferred, 3);
    return 0;
}

TEST(exit_counts_as_done) {
    RUN(run_main);
}
