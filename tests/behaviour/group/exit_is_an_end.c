/* SPDX-License-Identifier: MIT */
/* Proves: a goroutine of a group may end by tuco_exit(): it counts as a success, its
   deferred calls run before the wait returns, and its place is free. */
#include "contexts.h"

#define CALLS 50

static atomic_int deferred;

static void count(void *arg) {
    (void)arg;
    tuco_yield();
    atomic_fetch_add(&deferred, 1);
}

static int leave(tuco_ctx *ctx, void *arg) {
    (void)arg;
    EXPECT_OPEN(ctx);
    ASSERT_EQ(tuco_defer(count, NULL), 0);
    tuco_exit();
}

static int run_main(void *arg) {
    (void)arg;
    tuco_group *group = MADE(tuco_group_make(tuco_ctx_background(), 2));
    for (int i = 0; i < CALLS; i++) {
        ASSERT_EQ(tuco_group_go(group, leave, NULL), 0);
    }
    ASSERT_EQ(tuco_group_wait(group), 0);
    ASSERT_EQ(atomic_load(&deferred), CALLS);
    return 0;
}

TEST(exit_is_an_end) {
    RUN(run_main);
}
