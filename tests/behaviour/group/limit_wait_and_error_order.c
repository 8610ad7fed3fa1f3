/* SPDX-License-Identifier: MIT */
/* Proves: a caller that gets the place of a goroutine at the limit of a group sees all
   that the goroutine wrote, deferred calls included; so does the wait; and a goroutine
   that finds the context done sees what the failed one wrote. */
#include "contexts.h"

#define COUNT TEST_SIZE(500, 100)

static int written[COUNT], deferred[COUNT]; /* plain */

static void write_late(void *arg) {
    deferred[(intptr_t)arg] = 1;
}

static int write_and_end(tuco_ctx *ctx, void *arg) {
    (void)ctx;
    ASSERT_EQ(tuco_defer(write_late, arg), 0);
    written[(intptr_t)arg] = 1;
    return 0;
}

static int limit_main(void *arg) {
    tuco_group *group = MADE(tuco_group_make(tuco_ctx_background(), 1));
    (void)arg;
    for (intptr_t i = 0; i < COUNT; i++) {
        int error;
        if (i % 2 == 0) {
            error = tuco_group_go(group, write_and_end, (void *)i);
        } else {
            while ((error = tuco_group_try_go(group, write_and_end, (void *)i)) ==
                   -EAGAIN) {
                tuco_yield();
            }
        }
        ASSERT_EQ(error, 0);
        if (i > 0) {
            ASSERT_EQ(written[i - 1], 1);
            ASSERT_EQ(deferred[i - 1], 1);
        }
    }
    ASSERT_EQ(tuco_group_wait(group), 0);
    ASSERT_EQ(written[COUNT - 1], 1);
    ASSERT_EQ(deferred[COUNT - 1], 1);
    return 0;
}

TEST(limit_and_wait_order) {
    RUN(limit_main);
}

static int fail(tuco_ctx *ctx, void *arg) {
    (void)ctx;
    written[0] = (int)(intptr_t)arg;
    return -EIO;
}

static int await_the_failure(tuco_ctx *ctx, void *arg) {
    wait_until_done(ctx);
    ASSERT_EQ(written[0], (intptr_t)arg);
    return 0;
}

static int error_main(void *arg) {
    (void)arg;
    for (intptr_t i = 1; i <= COUNT; i++) {
        tuco_group *group = MADE(tuco_group_make(tuco_ctx_background(), 0));
        ASSERT_EQ(tuco_group_go(group, await_the_failure, (void *)i), 0);
        ASSERT_EQ(tuco_group_go(group, fail, (void *)i), 0);
        ASSERT_EQ(tuco_group_wait(group), -EIO);
    }
    return 0;
}

TEST(error_orders) {
    RUN(error_main);
}
