/* SPDX-License-Identifier: MIT */
/* Proves: contexts need no goroutines: only the caller's exists, and after a cancel those
   of its calls. (CX-18; the library has no contexts of other types) */
#include "contexts.h"

#define CONTEXTS 50

static int run_main(void *arg) {
    (void)arg;
    tuco_ctx *root = MADE(tuco_ctx_with_cancel(tuco_ctx_background()));
    tuco_ctx *all[CONTEXTS];
    tuco_ctx_after *calls[CONTEXTS];
    for (int i = 0; i < CONTEXTS; i++) {
        tuco_ctx *parent = i == 0 || i % 7 == 0 ? root : all[i - 1];
        all[i] = MADE(i % 3 == 0 ? tuco_ctx_with_timeout(parent, 3600 * TUCO_SECOND)
                                 : tuco_ctx_with_cancel(parent));
        calls[i] = MADE(tuco_ctx_after_make(all[i], test_return_at_once, NULL));
    }
    ASSERT_EQ(tuco_count(), 1);
    tuco_ctx_cancel(root);
    ASSERT_LE(tuco_count(), 1 + CONTEXTS);
    test_await_alone();
    for (int i = 0; i < CONTEXTS; i++) {
        EXPECT_DONE(all[i], -ECANCELED, -ECANCELED);
        tuco_ctx_unref(all[i]);
        tuco_ctx_after_free(calls[i]);
    }
    tuco_ctx_unref(root);
    return 0;
}

TEST(no_helpers) {
    RUN(run_main);
}
