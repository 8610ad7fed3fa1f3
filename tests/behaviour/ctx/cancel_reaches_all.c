/* SPDX-License-Identifier: MIT */
/* Proves: when a cancel returns, all contexts made from the cancelled context are done
   with its cause, of any kind and at any depth. So is a context made from them later.
   (CX-02, CX-03) */
#include "contexts.h"

#define CAUSE 77

static const int key;
static atomic_int calls;

static void count(void *arg) {
    (void)arg;
    atomic_fetch_add(&calls, 1);
}

static int run_main(void *arg) {
    (void)arg;
    tuco_ctx *root = MADE(tuco_ctx_with_cancel(tuco_ctx_background()));
    tuco_ctx *value = MADE(tuco_ctx_with_value(root, &key, &calls));
    tuco_ctx *timed = MADE(tuco_ctx_with_timeout(value, 3600 * TUCO_SECOND));
    tuco_ctx *below = MADE(tuco_ctx_with_cancel(timed));
    tuco_ctx *beside = MADE(tuco_ctx_with_cancel(root));
    tuco_ctx_after *after = MADE(tuco_ctx_after_make(below, count, NULL));
    tuco_ctx *all[] = {root, value, timed, below, beside};
    for (size_t i = 0; i < 5; i++) {
        EXPECT_OPEN(all[i]);
    }
    tuco_ctx_cancel(value); // cannot be cancelled itself
    EXPECT_OPEN(root);

    tuco_ctx_cancel_cause(root, CAUSE);
    for (size_t i = 0; i < 5; i++) {
        EXPECT_DONE(all[i], -ECANCELED, CAUSE);
    }
    tuco_ctx_cancel_cause(root, CAUSE + 1); // the first cause stays
    tuco_ctx_cancel(below);
    EXPECT_DONE(below, -ECANCELED, CAUSE);
    test_await(&calls, 1);

    tuco_ctx *late = MADE(tuco_ctx_with_value(below, &key, NULL));
    EXPECT_DONE(late, -ECANCELED, CAUSE);
    tuco_ctx_unref(late);
    tuco_ctx_after_free(after);
    for (size_t i = 0; i < 5; i++) {
        tuco_ctx_unref(all[i]);
    }
    return 0;
}

TEST(cancel_reaches_all) {
    count_blocks();
    RUN(run_main);
    ASSERT_EQ(atomic_load(&calls), 1);
    test_fault_expect_balance();
}
