/* SPDX-License-Identifier: MIT */
/* Proves: the wait for a group returns after all its goroutines have ended, including
   those that its goroutines started. Then its context is done. A cancel of the parent
   reaches the group. */
#include "contexts.h"

#define DEPTH 6
#define ALL   ((1 << (DEPTH + 1)) - 1)

static tuco_group *group;
static atomic_int ended;
static tuco_ctx *kept;

static void count_end(void *arg) {
    (void)arg;
    atomic_fetch_add(&ended, 1);
}

static int grow(tuco_ctx *ctx, void *raw) {
    uintptr_t depth = (uintptr_t)raw;
    EXPECT_OPEN(ctx);
    ASSERT_EQ(tuco_defer(count_end, NULL), 0);
    for (int i = 0; depth > 0 && i < 2; i++) {
        ASSERT_EQ(tuco_group_go(group, grow, (void *)(depth - 1)), 0);
    }
    tuco_yield();
    if (depth == DEPTH) {
        kept = tuco_ctx_ref(ctx);
    }
    return 0;
}

static int until_done(tuco_ctx *ctx, void *arg) {
    (void)arg;
    wait_until_done(ctx);
    return tuco_ctx_cause(ctx);
}

static int run_main(void *arg) {
    (void)arg;
    tuco_ctx *parent = MADE(tuco_ctx_with_cancel(tuco_ctx_background()));
    group = MADE(tuco_group_make(parent, 0));
    ASSERT_EQ(tuco_group_go(group, grow, (void *)DEPTH), 0);
    ASSERT_EQ(tuco_group_wait(group), 0);
    ASSERT_EQ(atomic_load(&ended), ALL);
    EXPECT_DONE(kept, -ECANCELED, -ECANCELED);
    tuco_ctx_unref(kept);
    EXPECT_OPEN(parent);

    group = MADE(tuco_group_make(parent, 2));
    ASSERT_EQ(tuco_group_go(group, until_done, NULL), 0);
    ASSERT_EQ(tuco_group_go(group, until_done, NULL), 0);
    tuco_ctx_cancel_cause(parent, 13);
    ASSERT_EQ(tuco_group_wait(group), 13);
    group = MADE(tuco_group_make(parent, 0));
    ASSERT_EQ(tuco_group_wait(group), 0); // the group is empty
    tuco_ctx_unref(parent);
    return 0;
}

TEST(wait_is_for_all) {
    count_blocks();
    RUN(run_main);
    test_fault_expect_balance();
}
