/* SPDX-License-Identifier: MIT */
/* Proves: cancelling a child does not cancel its parent, and a freed child, done or not,
   leaves no memory at its parent, however many children are made. (CX-04) */
#include "contexts.h"

#define CHILDREN TEST_SIZE(200000, 10000)
#define OTHERS   20 /* blocks of threads that the runtime may start meanwhile */
#define FAR      (3600 * TUCO_SECOND)

static void never(void *arg) {
    (void)arg;
    ASSERT(!"a call was made that had been stopped");
}

static void come_and_go(tuco_ctx *parent, int i) {
    tuco_ctx *child = i % 2 == 0 ? MADE(tuco_ctx_with_cancel(parent))
                                 : MADE(tuco_ctx_with_timeout(parent, FAR));
    tuco_ctx_after *after =
        MADE(tuco_ctx_after_make(i % 3 == 0 ? parent : child, never, 0));
    ASSERT(tuco_ctx_after_stop(after));
    if (i % 5 != 0) {
        tuco_ctx_cancel(child);
        EXPECT_DONE(child, -ECANCELED, -ECANCELED);
    }
    EXPECT_OPEN(parent);
    tuco_ctx_unref(child);
    tuco_ctx_after_free(after);
}

static int run_main(void *arg) {
    (void)arg;
    tuco_ctx *parent = MADE(tuco_ctx_with_cancel(tuco_ctx_background()));
    int before = blocks_held();
    for (int i = 0; i < CHILDREN; i++) {
        come_and_go(parent, i);
    }
    ASSERT_LE(blocks_held(), before + OTHERS);
    tuco_ctx_unref(parent);
    return 0;
}

TEST(children_leave_nothing) {
    count_blocks();
    RUN(run_main);
    test_fault_expect_balance();
}
