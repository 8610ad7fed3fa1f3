/* SPDX-License-Identifier: MIT */
/* Proves: a goroutine that gets an error from a context finds its channel closed at once,
   and its cause set. (CX-13) */
#include "contexts.h"

#define ROUNDS TEST_SIZE(1000, 200)

static tuco_ctx *watched;
static atomic_int opened;
static atomic_int seen;

static void look(void *arg) {
    (void)arg;
    for (int i = 1; i <= ROUNDS; i++) {
        test_await(&opened, i);
        while (tuco_ctx_err(watched) == 0) {
            tuco_yield();
        }
        EXPECT_DONE(watched, -ECANCELED, i);
        atomic_store(&seen, i);
    }
}

static int run_main(void *arg) {
    (void)arg;
    tuco_wg wg = {0};
    ASSERT_EQ(tuco_wg_go(&wg, look, NULL), 0);
    for (int i = 1; i <= ROUNDS; i++) {
        tuco_ctx *parent = MADE(tuco_ctx_with_cancel(tuco_ctx_background()));
        watched = MADE(tuco_ctx_with_cancel(parent));
        atomic_store(&opened, i);
        tuco_yield();
        tuco_ctx_cancel_cause(parent, i);
        test_await(&seen, i);
        tuco_ctx_unref(parent);
        tuco_ctx_unref(watched);
    }
    tuco_wg_wait(&wg);
    return 0;
}

TEST(error_means_closed) {
    RUN(run_main);
}
