/* SPDX-License-Identifier: MIT */
/* Proves: a call is made once, in a goroutine of its own, when its context is cancelled
   or times out, and not before. It is made at once if the context is already done, and
   also if its handle was freed. (CX-15) */
#include "contexts.h"

#define PAUSE (2 * TUCO_MILLISECOND) /* time for a wrong call to happen */

static atomic_int calls;
static uint64_t caller;

static void count(void *arg) {
    ASSERT(arg == &calls);
    ASSERT_NE(tuco_id(), caller);
    atomic_fetch_add(&calls, 1);
}

static void expect_one_call(tuco_ctx *ctx, bool keep_handle, void (*end)(tuco_ctx *)) {
    int before = atomic_load(&calls);
    tuco_ctx_after *after = MADE(tuco_ctx_after_make(ctx, count, &calls));
    if (!keep_handle) {
        tuco_ctx_after_free(after);
    }
    end(ctx);
    test_await(&calls, before + 1);
    if (keep_handle) {
        ASSERT(!tuco_ctx_after_stop(after));
        tuco_ctx_after_free(after);
    }
}

static void nothing(tuco_ctx *ctx) {
    (void)ctx;
}

static void pause_and_cancel(tuco_ctx *ctx) {
    int before = atomic_load(&calls);
    tuco_sleep(PAUSE);
    ASSERT_EQ(atomic_load(&calls), before);
    tuco_ctx_cancel(ctx);
}

static int run_main(void *arg) {
    (void)arg;
    caller = tuco_id();
    for (int keep = 0; keep < 2; keep++) {
        tuco_ctx *ctx = MADE(tuco_ctx_with_cancel(tuco_ctx_background()));
        tuco_ctx *timed = MADE(tuco_ctx_with_timeout(tuco_ctx_background(), PAUSE));
        expect_one_call(ctx, keep, pause_and_cancel);
        expect_one_call(ctx, keep, nothing);
        expect_one_call(timed, keep, wait_until_done);
        tuco_ctx_unref(ctx);
        tuco_ctx_unref(timed);
    }
    tuco_sleep(PAUSE);
    ASSERT_EQ(atomic_load(&calls), 6);
    return 0;
}

TEST(after_runs_once) {
    count_blocks();
    RUN(run_main);
    test_fault_expect_balance();
}
