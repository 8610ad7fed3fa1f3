/* SPDX-License-Identifier: MIT */
/* Proves: the function of a tuco_ctx_after sees all writes made before
   tuco_ctx_after_make() and before the cancel, by two goroutines that share no other
   order. */
#include "contexts.h"

#define ROUNDS TEST_SIZE(500, 100)

static tuco_ctx *ctx;
static int before_make, before_cancel; /* plain */
static atomic_int made, called;        /* relaxed: they must not create the ordering */

static void look(void *arg) {
    (void)arg;
    ASSERT_EQ(before_make, 1);
    ASSERT_EQ(before_cancel, 1);
    atomic_store(&called, 1);
}

static void cancel(void *arg) {
    (void)arg;
    while (atomic_load_explicit(&made, memory_order_relaxed) == 0) {
        tuco_yield();
    }
    before_cancel = 1;
    tuco_ctx_cancel(ctx);
}

static int run_main(void *arg) {
    (void)arg;
    for (int i = 0; i < ROUNDS; i++) {
        tuco_wg end = {0};
        ctx = MADE(tuco_ctx_with_cancel(tuco_ctx_background()));
        before_make = before_cancel = 0;
        atomic_store(&made, 0);
        atomic_store(&called, 0);
        ASSERT_EQ(tuco_wg_go(&end, cancel, NULL), 0);
        before_make = 1;
        tuco_ctx_after *after = MADE(tuco_ctx_after_make(ctx, look, NULL));
        atomic_store_explicit(&made, 1, memory_order_relaxed);
        tuco_wg_wait(&end);
        test_await(&called, 1);
        tuco_ctx_after_free(after);
        tuco_ctx_unref(ctx);
    }
    return 0;
}

TEST(after_orders_make_and_cancel) {
    RUN(run_main);
}
