/* SPDX-License-Identifier: MIT */
/* Proves: a goroutine that finds a context done, by its error or by a channel made after
   the cancel, sees all writes made before the cancel. ThreadSanitizer reports a missing
   ordering. */
#include "contexts.h"

#define ROUNDS TEST_SIZE(500, 100)
#define ASKERS 3

static tuco_ctx *ctx;
static int plain;
static atomic_int cancelled; /* relaxed everywhere: it must not create the ordering */

static void write_and_cancel(void *arg) {
    (void)arg;
    plain = 7;
    tuco_ctx_cancel(ctx);
    atomic_store_explicit(&cancelled, 1, memory_order_relaxed);
}

static void ask_for_the_error(void *arg) {
    (void)arg;
    while (tuco_ctx_err(ctx) == 0) {
        tuco_yield();
    }
    ASSERT_EQ(plain, 7);
}

static void ask_for_the_channel(void *arg) {
    (void)arg;
    while (atomic_load_explicit(&cancelled, memory_order_relaxed) == 0) {
        tuco_yield();
    }
    ASSERT_EQ(tuco_chan_recv(tuco_ctx_done(ctx), NULL), -EPIPE);
    ASSERT_EQ(plain, 7);
}

static void rounds(tuco_fn *ask) {
    for (int i = 0; i < ROUNDS; i++) {
        tuco_wg end = {0};
        ctx = MADE(tuco_ctx_with_cancel(tuco_ctx_background()));
        plain = 0;
        atomic_store_explicit(&cancelled, 0, memory_order_relaxed);
        for (int asker = 0; asker < ASKERS; asker++) {
            ASSERT_EQ(tuco_wg_go(&end, ask, NULL), 0);
        }
        ASSERT_EQ(tuco_wg_go(&end, write_and_cancel, NULL), 0);
        tuco_wg_wait(&end);
        tuco_ctx_unref(ctx);
    }
}

static int error_main(void *arg) {
    (void)arg;
    rounds(ask_for_the_error);
    return 0;
}

static int channel_main(void *arg) {
    (void)arg;
    rounds(ask_for_the_channel);
    return 0;
}

TEST(error_orders) {
    RUN(error_main);
}

TEST(channel_made_after_the_end_orders) {
    RUN(channel_main);
}
