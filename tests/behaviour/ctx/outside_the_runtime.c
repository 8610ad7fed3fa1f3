/* SPDX-License-Identifier: MIT */
/* Proves: contexts work among plain threads without a runtime. A deadline that was set
   before a run, or in an earlier run, fires in the next run. Without a runtime, a caller
   that reads the state of a context finds a deadline that has passed. */
#include "contexts.h"

#define SHORT (2 * TUCO_MILLISECOND)
#define FAR   (3600 * TUCO_SECOND)

static void wait_and_expect_cancel(void *ctx) {
    wait_until_done(ctx);
    EXPECT_DONE(ctx, -ECANCELED, 6);
}

TEST(threads_alone) {
    count_blocks();
    struct test_thread waiter;
    tuco_ctx *ctx = MADE(tuco_ctx_with_timeout(tuco_ctx_background(), FAR));
    tuco_ctx *below = MADE(tuco_ctx_with_cancel(ctx));
    test_thread_start(&waiter, wait_and_expect_cancel, below);
    tuco_ctx_cancel_cause(ctx, 6);
    test_thread_join(&waiter);
    tuco_ctx_unref(below);
    tuco_ctx_unref(ctx);
    ASSERT_EQ(blocks_held(), 0); // the descriptor of the waiter is no block
}

TEST(clock_of_the_caller) {
    count_blocks();
    tuco_ctx *ctx = MADE(tuco_ctx_with_timeout(tuco_ctx_background(), SHORT));
    tuco_ctx *below = MADE(tuco_ctx_with_cancel(ctx));
    tuco_sleep_until(tuco_ctx_deadline(ctx));
    ASSERT_EQ(tuco_ctx_err(below), -ETIMEDOUT);
    EXPECT_DONE(below, -ETIMEDOUT, -ETIMEDOUT);
    ASSERT_EQ(tuco_ctx_cause(ctx), -ETIMEDOUT);
    tuco_ctx_unref(ctx);
    tuco_ctx_unref(below);
    test_fault_expect_balance();
}

/* The deadline of the parent has passed, and no call has noticed yet. */
TEST(born_after_the_deadline_above) {
    tuco_ctx *ctx = MADE(tuco_ctx_with_timeout(tuco_ctx_background(), SHORT));
    tuco_sleep_until(tuco_ctx_deadline(ctx));
    tuco_ctx *below = MADE(tuco_ctx_with_timeout(ctx, FAR));
    ASSERT_EQ(tuco_chan_try_recv(tuco_ctx_done(below), NULL), -EPIPE);
    EXPECT_DONE(below, -ETIMEDOUT, -ETIMEDOUT);
    tuco_ctx_unref(below);
    tuco_ctx_unref(ctx);
}

static int wait_main(void *done) {
    ASSERT_EQ(tuco_chan_recv(done, NULL), -EPIPE);
    return 0;
}

TEST(deadline_before_the_run) {
    count_blocks();
    tuco_ctx *soon = MADE(tuco_ctx_with_timeout(tuco_ctx_background(), SHORT));
    tuco_ctx *far = MADE(tuco_ctx_with_timeout(tuco_ctx_background(), FAR));
    tuco_ctx *dropped = MADE(tuco_ctx_with_timeout(tuco_ctx_background(), FAR));
    tuco_ctx_unref(dropped);
    ASSERT_EQ(tuco_run(wait_main, tuco_ctx_done(soon)), 0);
    EXPECT_DONE(soon, -ETIMEDOUT, -ETIMEDOUT);
    EXPECT_OPEN(far);
    tuco_ctx_unref(soon);
    tuco_ctx_unref(far);
    test_fault_expect_balance();
}

static tuco_ctx *kept;

static int make_main(void *arg) {
    (void)arg;
    kept = MADE(tuco_ctx_with_timeout(tuco_ctx_background(), 20 * SHORT));
    return 0;
}

TEST(deadline_in_the_next_run) {
    count_blocks();
    RUN(make_main);
    ASSERT_EQ(tuco_run(wait_main, tuco_ctx_done(kept)), 0);
    EXPECT_DONE(kept, -ETIMEDOUT, -ETIMEDOUT);
    tuco_ctx_unref(kept);
    test_fault_expect_balance();
}
