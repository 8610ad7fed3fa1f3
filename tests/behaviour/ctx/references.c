/* SPDX-License-Identifier: MIT */
/* Proves: a context lives until its last reference is released, and the contexts made
   from it hold references. Then its calls and its deadline are dropped. Its channel lives
   on for a holder of a reference. */
/* fixed procs */
#include "contexts.h"

#define CHAIN TEST_SIZE(200000, 20000)
#define FAR   (3600 * TUCO_SECOND)

static const int key;

static void never(void *arg) {
    (void)arg;
    ASSERT(!"a call was made for a context that was not cancelled");
}

TEST(children_keep_parents) {
    count_blocks();
    tuco_ctx *ctx = tuco_ctx_background();
    for (int i = 0; i < CHAIN; i++) {
        tuco_ctx *child = MADE(i % 2 == 0 ? tuco_ctx_with_value(ctx, &key, (void *)&key)
                                          : tuco_ctx_with_cancel(ctx));
        tuco_ctx_unref(ctx);
        ctx = child;
    }
    ASSERT_EQ(blocks_held(), CHAIN); // a channel is part of its context
    ASSERT(tuco_ctx_ref(ctx) == ctx);
    tuco_ctx_unref(ctx);
    EXPECT_OPEN(ctx);
    ASSERT(tuco_ctx_value(ctx, &key) == &key);
    tuco_ctx_unref(ctx); // a chain of any length, on a stack of any size
    test_fault_expect_balance();
}

TEST(end_of_a_long_chain) {
    count_blocks();
    tuco_ctx *root = MADE(tuco_ctx_with_cancel(tuco_ctx_background()));
    tuco_ctx *last = tuco_ctx_ref(root);
    for (int i = 0; i < CHAIN; i++) {
        tuco_ctx *child = MADE(tuco_ctx_with_cancel(last));
        tuco_ctx_unref(last);
        last = child;
    }
    tuco_ctx_cancel_cause(root, 4);
    EXPECT_DONE(last, -ECANCELED, 4);
    tuco_ctx_unref(root);
    tuco_ctx_unref(last);
    test_fault_expect_balance();
}

static int forget_main(void *arg) {
    (void)arg;
    tuco_ctx *ctx = MADE(tuco_ctx_with_timeout(tuco_ctx_background(), FAR));
    tuco_ctx *value = MADE(tuco_ctx_with_value(ctx, &key, NULL));
    tuco_chan *done = tuco_chan_ref(tuco_ctx_done(value));
    tuco_ctx_after *after = MADE(tuco_ctx_after_make(value, never, NULL));
    tuco_ctx_unref(value);
    tuco_ctx_unref(ctx);
    ASSERT_EQ(tuco_chan_try_recv(done, NULL), -EAGAIN);
    tuco_ctx_after_free(after); // the last reference to the context
    ASSERT_EQ(tuco_chan_try_recv(done, NULL), -EAGAIN);
    tuco_chan_unref(done);
    return 0;
}

TEST(forgotten) {
    count_blocks();
    RUN(forget_main);
    test_fault_expect_balance();
}
