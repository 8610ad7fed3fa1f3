/* SPDX-License-Identifier: MIT */
/* Proves: tuco_group_try_go starts a goroutine of the group if the limit has room, and
   otherwise returns -EAGAIN and starts none; a place is free again when its goroutine has
   ended, or could not be started. */
#include "contexts.h"

#define LIMIT 3

static tuco_wg gate;
static atomic_int ran;

static int wait_at_gate(tuco_ctx *ctx, void *arg) {
    (void)arg;
    EXPECT_OPEN(ctx);
    atomic_fetch_add(&ran, 1);
    tuco_wg_wait(&gate);
    return 0;
}

static int fail(tuco_ctx *ctx, void *result) {
    (void)ctx;
    atomic_fetch_add(&ran, 1);
    return (int)(intptr_t)result;
}

static void fill(tuco_group *group, int count) {
    for (int i = 0; i < count; i++) {
        ASSERT_EQ(tuco_group_try_go(group, wait_at_gate, NULL), 0);
    }
}

static void with_limit(void *arg) {
    tuco_group *group = MADE(tuco_group_make(tuco_ctx_background(), LIMIT));
    int error;
    (void)arg;
    atomic_store(&ran, 0);
    tuco_wg_add(&gate, 1);
    fill(group, LIMIT);
    ASSERT_EQ(tuco_group_try_go(group, fail, (void *)16), -EAGAIN);
    test_await(&ran, LIMIT);
    ASSERT_EQ(tuco_group_try_go(group, fail, (void *)16), -EAGAIN);
    tuco_wg_done(&gate);
    while ((error = tuco_group_try_go(group, fail, (void *)17)) == -EAGAIN) {
        tuco_yield();
    }
    ASSERT_EQ(error, 0);
    ASSERT_EQ(tuco_group_wait(group), 17);
    ASSERT_EQ(atomic_load(&ran), LIMIT + 1);
}

static void without_limit(void *arg) {
    tuco_group *group = MADE(tuco_group_make(tuco_ctx_background(), 0));
    (void)arg;
    tuco_wg_add(&gate, 1);
    fill(group, 100);
    tuco_wg_done(&gate);
    ASSERT_EQ(tuco_group_wait(group), 0);
}

static int run_main(void *arg) {
    with_limit(arg);
    without_limit(arg);
    return 0;
}

TEST(on_goroutine) {
    RUN(run_main);
}

TEST(on_thread) {
    ASSERT_EQ(tuco_start(), 0);
    test_threads_run(1, with_limit, NULL);
    test_threads_run(1, without_limit, NULL);
    ASSERT_EQ(tuco_stop(TUCO_NEVER), 0);
}

TEST(without_runtime) {
    tuco_group *group = MADE(tuco_group_make(tuco_ctx_background(), 1));
    ASSERT_EQ(tuco_group_try_go(group, fail, NULL), -ESRCH);
    ASSERT_EQ(tuco_group_try_go(group, fail, NULL), -ESRCH); // its only place is free
    ASSERT_EQ(tuco_group_wait(group), 0);
}
