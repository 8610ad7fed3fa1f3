/* SPDX-License-Identifier: MIT */
/* Proves: the background context is there without a runtime, is never done, and needs no
   references. (CX-01) */
/* fixed procs */
#include "contexts.h"

static void expect_background(void) {
    tuco_ctx *ctx = tuco_ctx_background();
    ASSERT(ctx != NULL && ctx == tuco_ctx_background());
    tuco_ctx_cancel(ctx);
    tuco_ctx_cancel_cause(ctx, 7);
    ASSERT(tuco_ctx_done(ctx) == NULL);
    EXPECT_OPEN(ctx);
    ASSERT_EQ(tuco_ctx_deadline(ctx), TUCO_NEVER);
    ASSERT(tuco_ctx_value(ctx, &ctx) == NULL);
    ASSERT(tuco_ctx_ref(ctx) == ctx);
    tuco_ctx_unref(ctx);
    tuco_ctx_unref(ctx);
    ASSERT(tuco_ctx_ref(NULL) == NULL);
    tuco_ctx_unref(NULL);
}

static int run_main(void *arg) {
    (void)arg;
    expect_background();
    return 0;
}

TEST(background_is_never_done) {
    expect_background();
    RUN(run_main);
    expect_background();
}
