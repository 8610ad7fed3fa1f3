/* SPDX-License-Identifier: MIT */
/* Proves: a cancel does not wait for the calls that it starts, not even for a call that
   waits for the canceller. (CX-16) */
#include "contexts.h"

static tuco_wg returned;
static tuco_wg called;

static void wait_for_canceller(void *arg) {
    (void)arg;
    tuco_wg_wait(&returned);
    tuco_wg_done(&called);
}

static int run_main(void *arg) {
    (void)arg;
    tuco_ctx *ctx = MADE(tuco_ctx_with_cancel(tuco_ctx_background()));
    tuco_wg_add(&returned, 1);
    tuco_wg_add(&called, 2);
    tuco_ctx_after_free(MADE(tuco_ctx_after_make(ctx, wait_for_canceller, NULL)));
    tuco_ctx_cancel(ctx);
    tuco_ctx_after_free(MADE(tuco_ctx_after_make(ctx, wait_for_canceller, NULL)));
    tuco_wg_done(&returned);
    tuco_wg_wait(&called);
    tuco_ctx_unref(ctx);
    return 0;
}

TEST(after_is_not_waited_for) {
    RUN(run_main);
}
