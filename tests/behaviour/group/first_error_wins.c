/* SPDX-License-Identifier: MIT */
/* Proves: the first goroutine of a group that fails gives the group its error, and
   cancels the context of the others with it; later errors change nothing. */
#include "contexts.h"

#define OTHERS 20
#define FIRST  71

static tuco_wg started;

static int wait_and_fail(tuco_ctx *ctx, void *arg) {
    (void)arg;
    tuco_wg_done(&started);
    wait_until_done(ctx);
    EXPECT_DONE(ctx, -ECANCELED, FIRST);
    return FIRST + 1;
}

static int fail_first(tuco_ctx *ctx, void *arg) {
    (void)arg;
    tuco_wg_wait(&started);
    EXPECT_OPEN(ctx);
    return FIRST;
}

static int succeed(tuco_ctx *ctx, void *arg) {
    EXPECT_OPEN(ctx);
    atomic_fetch_add((atomic_int *)arg, 1);
    return 0;
}

static int failing_main(void *arg) {
    (void)arg;
    tuco_ctx *parent = MADE(tuco_ctx_with_cancel(tuco_ctx_background()));
    tuco_group *group = MADE(tuco_group_make(parent, 0));
    tuco_wg_add(&started, OTHERS);
    for (int i = 0; i < OTHERS; i++) {
        ASSERT_EQ(tuco_group_go(group, wait_and_fail, NULL), 0);
    }
    ASSERT_EQ(tuco_group_go(group, fail_first, NULL), 0);
    ASSERT_EQ(tuco_group_wait(group), FIRST);
    EXPECT_OPEN(parent);
    tuco_ctx_unref(parent);
    return 0;
}

static int good_main(void *arg) {
    (void)arg;
    atomic_int done = 0;
    tuco_group *group = MADE(tuco_group_make(tuco_ctx_background(), 0));
    for (int i = 0; i < OTHERS; i++) {
        ASSERT_EQ(tuco_group_go(group, succeed, &done), 0);
    }
    ASSERT_EQ(tuco_group_wait(group), 0);
    ASSERT_EQ(atomic_load(&done), OTHERS);
    return 0;
}

TEST(first_error_wins) {
    count_blocks();
    RUN(failing_main);
    RUN(good_main);
    test_fault_expect_balance();
}
