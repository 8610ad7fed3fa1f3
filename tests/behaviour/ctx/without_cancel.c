/* SPDX-License-Identifier: MIT */
/* Proves: a context without cancel has no deadline and is never done, even if its parent
   is. A child of it can be cancelled by itself. (CX-14) */
#include "contexts.h"

static const int key;

static void expect_detached(tuco_ctx *ctx) {
    ASSERT(tuco_ctx_done(ctx) == NULL);
    EXPECT_OPEN(ctx);
    ASSERT_EQ(tuco_ctx_deadline(ctx), TUCO_NEVER);
    ASSERT(tuco_ctx_value(ctx, &key) == &key);
}

static int run_main(void *arg) {
    (void)arg;
    tuco_ctx *value =
        MADE(tuco_ctx_with_value(tuco_ctx_background(), &key, (void *)&key));
    tuco_ctx *cancelled = MADE(tuco_ctx_with_cancel(value));
    tuco_ctx *timed = MADE(tuco_ctx_with_timeout(value, TUCO_MILLISECOND));
    tuco_ctx *one = MADE(tuco_ctx_without_cancel(cancelled));
    tuco_ctx *two = MADE(tuco_ctx_without_cancel(timed));
    tuco_ctx *below = MADE(tuco_ctx_with_cancel(one));
    tuco_ctx_cancel(cancelled);
    wait_until_done(timed);
    expect_detached(one);
    expect_detached(two);
    tuco_ctx_cancel(one); // has no effect
    expect_detached(one);
    EXPECT_OPEN(below);
    tuco_ctx_cancel_cause(below, 3);
    EXPECT_DONE(below, -ECANCELED, 3);
    tuco_ctx *all[] = {value, cancelled, timed, one, two, below};
    for (size_t i = 0; i < 6; i++) {
        tuco_ctx_unref(all[i]);
    }
    return 0;
}

TEST(without_cancel) {
    count_blocks();
    RUN(run_main);
    test_fault_expect_balance();
}
