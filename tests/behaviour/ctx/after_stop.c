/* SPDX-License-Identifier: MIT */
/* Proves: when a stop and a cancel race, either the stop returns true and the call is not
   made, or the call is made. A second stop returns false. (CX-15) */
#include "contexts.h"

#define ROUNDS TEST_SIZE(2000, 300)

static tuco_ctx *ctx;
static atomic_int opened;
static atomic_int cancelled;
static atomic_int calls;

static void count(void *arg) {
    (void)arg;
    atomic_fetch_add(&calls, 1);
}

static void cancel_all(void *arg) {
    (void)arg;
    for (int i = 1; i <= ROUNDS; i++) {
        test_await(&opened, i);
        tuco_ctx_cancel(ctx);
        atomic_store(&cancelled, i);
    }
}

static int run_main(void *arg) {
    (void)arg;
    tuco_wg wg = {0};
    int expected = 0;
    ASSERT_EQ(tuco_wg_go(&wg, cancel_all, NULL), 0);
    for (int i = 1; i <= ROUNDS; i++) {
        ctx = MADE(tuco_ctx_with_cancel(tuco_ctx_background()));
        tuco_ctx_after *after = MADE(tuco_ctx_after_make(ctx, count, NULL));
        atomic_store(&opened, i);
        for (volatile int delay = i % 256; delay > 0; delay--) {
        }
        expected += !tuco_ctx_after_stop(after);
        ASSERT(!tuco_ctx_after_stop(after));
        test_await(&cancelled, i);
        test_await(&calls, expected);
        tuco_ctx_after_free(after);
        tuco_ctx_unref(ctx);
    }
    tuco_wg_wait(&wg);

    tuco_ctx_after *never = MADE(tuco_ctx_after_make(tuco_ctx_background(), count, NULL));
    ASSERT(tuco_ctx_after_stop(never));
    ASSERT(!tuco_ctx_after_stop(never));
    tuco_ctx_after_free(never);
    tuco_ctx_after_free(NULL);
    test_await_alone(); // until no goroutine is left to call late
    ASSERT_EQ(atomic_load(&calls), expected);
    return 0;
}

TEST(after_stop) {
    count_blocks();
    RUN(run_main);
    test_fault_expect_balance();
}
