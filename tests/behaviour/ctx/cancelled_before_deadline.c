/* SPDX-License-Identifier: MIT */
/* Proves: a context that is cancelled before its deadline stays cancelled when the
   deadline has passed. (CX-06) */
#include "contexts.h"

#define SHORT (2 * TUCO_MILLISECOND)

static int run_main(void *arg) {
    (void)arg;
    tuco_ctx *ctx =
        MADE(tuco_ctx_with_timeout(tuco_ctx_background(), 3600 * TUCO_SECOND));
    tuco_ctx_cancel(ctx);
    EXPECT_DONE(ctx, -ECANCELED, -ECANCELED);
    tuco_ctx_unref(ctx);

    ctx = MADE(tuco_ctx_with_timeout(tuco_ctx_background(), SHORT));
    tuco_ctx_cancel_cause(ctx, 9);
    bool in_time = tuco_ctx_err(ctx) == -ECANCELED; // unless the machine was very slow
    tuco_sleep_until(tuco_ctx_deadline(ctx) + SHORT);
    EXPECT_DONE(ctx, in_time ? -ECANCELED : -ETIMEDOUT, in_time ? 9 : -ETIMEDOUT);
    tuco_ctx_unref(ctx);
    return 0;
}

TEST(cancelled_before_deadline) {
    RUN(run_main);
}
