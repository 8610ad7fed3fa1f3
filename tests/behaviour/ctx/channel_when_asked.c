/* SPDX-License-Identifier: MIT */
/* Proves: a context has one channel, whenever and however often goroutines request it.
   The channel is open before the end of the context and closed after it. A channel
   requested at the moment of the end is closed too. */
#include "contexts.h"

#define ROUNDS TEST_SIZE(2000, 300)
#define ASKERS 3
#define FAR    (3600 * TUCO_SECOND)

static const int key;
static tuco_ctx *asked;
static tuco_chan *got[ASKERS];
static atomic_int opened;
static atomic_int seen;

static tuco_ctx *make(int i) {
    tuco_ctx *background = tuco_ctx_background();
    return MADE(i % 2 == 0 ? tuco_ctx_with_cancel(background)
                           : tuco_ctx_with_timeout(background, FAR));
}

TEST(asked_before_the_end) {
    for (int i = 0; i < 2; i++) {
        tuco_ctx *ctx = make(i);
        tuco_chan *done = tuco_ctx_done(ctx);
        ASSERT_EQ(tuco_chan_try_recv(done, NULL), -EAGAIN);
        tuco_ctx_cancel_cause(ctx, 3);
        EXPECT_DONE(ctx, -ECANCELED, 3);
        ASSERT(tuco_ctx_done(ctx) == done);
        tuco_ctx_unref(ctx);
    }
}

TEST(asked_after_the_end) {
    count_blocks();
    for (int i = 0; i < 2; i++) {
        tuco_ctx *ctx = make(i);
        tuco_ctx *value = MADE(tuco_ctx_with_value(ctx, &key, NULL));
        tuco_ctx_cancel_cause(ctx, 3);
        ASSERT_EQ(tuco_ctx_err(value), -ECANCELED);
        ASSERT_EQ(tuco_ctx_cause(value), 3);
        tuco_chan *done = tuco_chan_ref(tuco_ctx_done(value));
        ASSERT(tuco_ctx_done(ctx) == done);
        EXPECT_DONE(ctx, -ECANCELED, 3);
        tuco_ctx_unref(value);
        tuco_ctx_unref(ctx);
        ASSERT_EQ(tuco_chan_try_recv(done, NULL), -EPIPE); // it outlives the context
        tuco_chan_unref(done);
    }
    test_fault_expect_balance();
}

static void ask(void *arg) {
    int me = (int)(intptr_t)arg;
    for (int i = 1; i <= ROUNDS; i++) {
        test_await(&opened, i);
        int err = tuco_ctx_err(asked);
        got[me] = tuco_ctx_done(asked);
        if (err != 0) {
            ASSERT_EQ(tuco_chan_try_recv(got[me], NULL), -EPIPE);
        }
        ASSERT_EQ(tuco_chan_recv(got[me], NULL), -EPIPE);
        EXPECT_DONE(asked, -ECANCELED, i);
        atomic_fetch_add(&seen, 1);
    }
}

static int race_main(void *arg) {
    (void)arg;
    tuco_wg wg = {0};
    for (int i = 0; i < ASKERS; i++) {
        ASSERT_EQ(tuco_wg_go(&wg, ask, (void *)(intptr_t)i), 0);
    }
    for (int i = 1; i <= ROUNDS; i++) {
        asked = make(i);
        atomic_store(&opened, i);
        for (volatile int delay = i % 128; delay > 0; delay--) {
        }
        tuco_ctx_cancel_cause(asked, i);
        test_await(&seen, i * ASKERS);
        for (int other = 0; other < ASKERS; other++) {
            ASSERT(got[other] == tuco_ctx_done(asked));
        }
        tuco_ctx_unref(asked);
    }
    tuco_wg_wait(&wg);
    return 0;
}

TEST(asked_at_the_end) {
    RUN(race_main);
}
