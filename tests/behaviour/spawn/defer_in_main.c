/* SPDX-License-Identifier: MIT */
/* Proves: the main goroutine's deferred calls run before tuco_run returns its result. */
#include "test.h"

#include <errno.h>

static int calls;

static void count(void *arg) {
    (void)arg;
    calls++;
    tuco_yield();
}

static int run_main(void *arg) {
    (void)arg;
    ASSERT_EQ(tuco_defer(count, NULL), 0);
    ASSERT_EQ(tuco_defer(count, NULL), 0);
    ASSERT_EQ(calls, 0);
    return 7;
}

TEST(defer_in_main) {
    ASSERT_EQ(tuco_run(run_main, NULL), 7);
    ASSERT_EQ(calls, 2);
}

TEST(defer_on_foreign_thread) {
    ASSERT_EQ(tuco_defer(count, NULL), -EPERM);
    ASSERT_EQ(calls, 0);
}
