/* SPDX-License-Identifier: MIT */
/* Proves: plain threads make groups, start goroutines in them, block at the limit as
   threads, and wait for the end. */
#include "contexts.h"

#define THREADS 4
#define CALLS   TEST_SIZE(300, 60)

static int count(tuco_ctx *ctx, void *arg) {
    EXPECT_OPEN(ctx);
    ASSERT_NE(tuco_id(), 0);
    tuco_yield();
    atomic_fetch_add((atomic_int *)arg, 1);
    return 0;
}

static int fail(tuco_ctx *ctx, void *arg) {
    (void)ctx;
    return (int)(intptr_t)arg;
}

static void use_group(void *arg) {
    (void)arg;
    atomic_int ran = 0;
    tuco_group *group = MADE(tuco_group_make(tuco_ctx_background(), 2));
    for (int i = 0; i < CALLS; i++) {
        ASSERT_EQ(tuco_group_go(group, count, &ran), 0);
    }
    ASSERT_EQ(tuco_group_wait(group), 0);
    ASSERT_EQ(atomic_load(&ran), CALLS);
    group = MADE(tuco_group_make(tuco_ctx_background(), 1));
    ASSERT_EQ(tuco_group_go(group, fail, (void *)17), 0);
    ASSERT_EQ(tuco_group_go(group, fail, (void *)18), 0); // runs after the first
    ASSERT_EQ(tuco_group_wait(group), 17);
}

TEST(used_by_threads) {
    count_blocks();
    ASSERT_EQ(tuco_start(), 0);
    test_threads_run(THREADS, use_group, NULL);
    ASSERT_EQ(tuco_stop(TUCO_NEVER), 0);
    test_fault_expect_balance();
}
