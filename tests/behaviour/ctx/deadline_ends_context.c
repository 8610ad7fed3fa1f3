/* SPDX-License-Identifier: MIT */
/* Proves: a deadline ends its context and all below it with -ETIMEDOUT, and not early. A
   context with a past deadline is done at once. An earlier deadline of the parent
   applies. (CX-05) */
#include "contexts.h"

#define SHORT TUCO_MILLISECOND
#define FAR   (3600 * TUCO_SECOND)

static void expect_end(tuco_ctx *parent, tuco_time deadline) {
    tuco_ctx *ctx = MADE(tuco_ctx_with_deadline(parent, deadline));
    tuco_ctx *below = MADE(tuco_ctx_with_cancel(ctx));
    tuco_ctx *later = MADE(tuco_ctx_with_deadline(below, tuco_deadline(FAR)));
    ASSERT_EQ(tuco_ctx_deadline(ctx), deadline);
    ASSERT_EQ(tuco_ctx_deadline(later), deadline);
    wait_until_done(later);
    ASSERT_GE(tuco_now(), deadline);
    wait_until_done(below); // from the top down, they are all done by now
    EXPECT_DONE(ctx, -ETIMEDOUT, -ETIMEDOUT);
    EXPECT_DONE(below, -ETIMEDOUT, -ETIMEDOUT);
    EXPECT_DONE(later, -ETIMEDOUT, -ETIMEDOUT);
    tuco_ctx_cancel_cause(ctx, 5);
    EXPECT_DONE(ctx, -ETIMEDOUT, -ETIMEDOUT);
    tuco_ctx_unref(ctx);
    tuco_ctx_unref(below);
    tuco_ctx_unref(later);
}

static void expect_born_done(tuco_ctx *parent, tuco_time deadline) {
    tuco_ctx *ctx = MADE(tuco_ctx_with_deadline(parent, deadline));
    EXPECT_DONE(ctx, -ETIMEDOUT, -ETIMEDOUT);
    ASSERT_EQ(tuco_ctx_deadline(ctx), deadline);
    tuco_ctx_unref(ctx);
}

static int run_main(void *arg) {
    (void)arg;
    tuco_ctx *parent = MADE(tuco_ctx_with_timeout(tuco_ctx_background(), FAR));
    expect_end(tuco_ctx_background(), tuco_deadline(SHORT));
    expect_end(parent, tuco_deadline(SHORT));
    expect_born_done(parent, tuco_now());
    expect_born_done(parent, tuco_deadline(-FAR));
    expect_born_done(parent, 0);
    expect_born_done(tuco_ctx_background(), INT64_MIN);
    EXPECT_OPEN(parent);

    tuco_ctx *never = MADE(tuco_ctx_with_timeout(tuco_ctx_background(), INT64_MAX));
    ASSERT_EQ(tuco_ctx_deadline(never), TUCO_NEVER);
    EXPECT_OPEN(never);
    tuco_ctx_unref(never);
    tuco_ctx_unref(parent);
    return 0;
}

TEST(deadline_ends_context) {
    count_blocks();
    RUN(run_main);
    test_fault_expect_balance();
}
