/* SPDX-License-Identifier: MIT */
/* Proves: without memory every function that makes something returns NULL, leaves the
   parent as it was and keeps nothing. */
/* fixed procs */
#include "contexts.h"

#define BLOCKS_MAX 4

static const int key;
static tuco_ctx *parent;

/* Each returns whether the call succeeded, and frees the result. */
static bool with_cancel(void) {
    tuco_ctx *ctx = tuco_ctx_with_cancel(parent);
    tuco_ctx_unref(ctx);
    return ctx != NULL;
}

static bool with_timeout(void) {
    tuco_ctx *ctx = tuco_ctx_with_timeout(parent, TUCO_SECOND);
    tuco_ctx_unref(ctx);
    return ctx != NULL;
}

static bool with_value(void) {
    tuco_ctx *ctx = tuco_ctx_with_value(parent, &key, NULL);
    tuco_ctx_unref(ctx);
    return ctx != NULL;
}

static bool without_cancel(void) {
    tuco_ctx *ctx = tuco_ctx_without_cancel(parent);
    tuco_ctx_unref(ctx);
    return ctx != NULL;
}

static bool after(void) {
    tuco_ctx_after *call = tuco_ctx_after_make(parent, test_return_at_once, NULL);
    tuco_ctx_after_free(call);
    return call != NULL;
}

static bool group(void) {
    tuco_group *made = tuco_group_make(parent, 3);
    return made != NULL && tuco_group_wait(made) == 0;
}

/* Makes each allocation of the call fail in turn, until the call succeeds. */
static void expect_failures(bool (*make)(void)) {
    int first = 1;
    bool made;
    do {
        test_fault_plan(OS_FAULT_ALLOC, first, 1, ENOMEM);
        made = make();
        ASSERT_EQ(made, test_fault_calls(OS_FAULT_ALLOC) < first);
        first++;
    } while (!made);
    ASSERT(first > 2 && first <= BLOCKS_MAX + 2);
}

TEST(no_memory) {
    count_blocks();
    parent = MADE(tuco_ctx_with_cancel(tuco_ctx_background()));
    bool (*const makers[])(void) = {with_cancel,    with_timeout, with_value,
                                    without_cancel, after,        group};
    for (size_t i = 0; i < sizeof makers / sizeof makers[0]; i++) {
        expect_failures(makers[i]);
        EXPECT_OPEN(parent);
    }
    tuco_ctx_unref(parent);
    test_fault_expect_balance();
}
