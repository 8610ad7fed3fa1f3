/* SPDX-License-Identifier: MIT */
/* Proves: contexts of one tree that are made, cancelled, timed out and freed at the same
   time lose no cancel, no call and no memory. When a cancel has returned, all contexts
   below it are done. */
#include "contexts.h"

#include <stdlib.h>

#define ROUNDS  TEST_SIZE(300, 40)
#define USERS   8
#define CHANGES 20

static tuco_ctx *root;
static atomic_int due;
static atomic_int made;

static void count(void *arg) {
    atomic_fetch_add((atomic_int *)arg, 1);
}

static tuco_ctx *derive(tuco_ctx *parent, unsigned chance) {
    if (chance % 3 == 0) {
        return MADE(tuco_ctx_with_timeout(parent, chance % 50 * TUCO_MICROSECOND));
    }
    return MADE(tuco_ctx_with_cancel(parent));
}

/* A call that is not stopped is made in the end, because the root is cancelled. */
static void call_or_not(tuco_ctx *ctx, unsigned chance) {
    tuco_ctx_after *after = MADE(tuco_ctx_after_make(ctx, count, &made));
    if (chance % 2 == 0 || !tuco_ctx_after_stop(after)) {
        atomic_fetch_add(&due, 1);
    }
    tuco_ctx_after_free(after);
}

static void change(tuco_ctx *at, unsigned chance) {
    tuco_ctx *upper = derive(at, chance);
    tuco_ctx *lower = derive(upper, chance / 3);
    call_or_not(root, chance / 5);
    if (chance % 4 != 0) {
        tuco_ctx_cancel(upper);
        ASSERT_NE(tuco_ctx_err(lower), 0);
    }
    tuco_ctx_unref(upper);
    tuco_ctx_unref(lower);
}

static void use(void *arg) {
    unsigned state = (unsigned)(uintptr_t)arg ^ (unsigned)test_seed();
    tuco_ctx *mine = derive(root, 1);
    for (int i = 0; i < CHANGES; i++) {
        change(i % 2 == 0 ? mine : root, (unsigned)rand_r(&state));
    }
    wait_until_done(mine);
    tuco_ctx_unref(mine);
}

static int run_main(void *arg) {
    (void)arg;
    for (int round = 0; round < ROUNDS; round++) {
        tuco_wg wg = {0};
        root =
            MADE(tuco_ctx_with_timeout(tuco_ctx_background(), round * TUCO_MICROSECOND));
        for (int i = 0; i < USERS; i++) {
            void *seed = (void *)(uintptr_t)(round * USERS + i);
            ASSERT_EQ(tuco_wg_go(&wg, use, seed), 0);
        }
        tuco_ctx_cancel(root);
        tuco_wg_wait(&wg);
        tuco_ctx_unref(root);
    }
    test_await(&made, atomic_load(&due));
    test_await_alone();
    ASSERT_EQ(atomic_load(&made), atomic_load(&due));
    return 0;
}

TEST(all_at_once) {
    count_blocks();
    RUN(run_main);
    test_fault_expect_balance();
}
