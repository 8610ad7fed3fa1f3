/* SPDX-License-Identifier: MIT */
/* Proves: a child of a done context is done from the start, with its parent's cause. A
   child made while its parent is being cancelled is done once both calls have returned.
   (CX-11) */
#include "contexts.h"

#define ROUNDS TEST_SIZE(2000, 300)

static tuco_ctx *parent;
static tuco_ctx *child;
static atomic_int opened;
static atomic_int made;

static void make_children(void *arg) {
    (void)arg;
    for (int i = 1; i <= ROUNDS; i++) {
        test_await(&opened, i);
        child = MADE(i % 2 == 0 ? tuco_ctx_with_cancel(parent)
                                : tuco_ctx_with_timeout(parent, 3600 * TUCO_SECOND));
        atomic_store(&made, i);
    }
}

static int run_main(void *arg) {
    (void)arg;
    tuco_wg wg = {0};
    ASSERT_EQ(tuco_wg_go(&wg, make_children, NULL), 0);
    for (int i = 1; i <= ROUNDS; i++) {
        parent = MADE(tuco_ctx_with_cancel(tuco_ctx_background()));
        atomic_store(&opened, i);
        for (volatile int delay = i % 128; delay > 0; delay--) {
        }
        tuco_ctx_cancel_cause(parent, i);
        test_await(&made, i);
        EXPECT_DONE(child, -ECANCELED, i);
        tuco_ctx *late = MADE(tuco_ctx_with_cancel(child));
        EXPECT_DONE(late, -ECANCELED, i);
        tuco_ctx_unref(late);
        tuco_ctx_unref(parent);
        tuco_ctx_unref(child);
    }
    tuco_wg_wait(&wg);
    return 0;
}

TEST(born_done) {
    count_blocks();
    RUN(run_main);
    test_fault_expect_balance();
}
