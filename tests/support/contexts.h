/* SPDX-License-Identifier: MIT */
/* contexts.h: helpers for tests of contexts. */
#ifndef TEST_CONTEXTS_H
#define TEST_CONTEXTS_H

#include "fault.h"
#include "timers.h"

/* Requires that the context is not done. Its channel, if it has one, is open. */
#define EXPECT_OPEN(ctx)                                                  \
    do {                                                                  \
        ASSERT_EQ(tuco_chan_try_recv(tuco_ctx_done(ctx), NULL), -EAGAIN); \
        ASSERT_EQ(tuco_ctx_err(ctx), 0);                                  \
        ASSERT_EQ(tuco_ctx_cause(ctx), 0);                                \
    } while (0)

/* Requires that the context is done. */
#define EXPECT_DONE(ctx, err, cause)                                     \
    do {                                                                 \
        ASSERT_EQ(tuco_chan_try_recv(tuco_ctx_done(ctx), NULL), -EPIPE); \
        ASSERT_EQ(tuco_ctx_err(ctx), err);                               \
        ASSERT_EQ(tuco_ctx_cause(ctx), cause);                           \
    } while (0)

/* Counts allocated blocks from here on. No allocation fails. */
static inline void count_blocks(void) {
    test_fault_plan(OS_FAULT_ALLOC, TEST_FAULT_ALWAYS, 1, ENOMEM);
    test_fault_plan(OS_FAULT_FREE, TEST_FAULT_ALWAYS, 1, ENOMEM);
}

/* The number of blocks allocated since count_blocks() and not freed. */
static inline int blocks_held(void) {
    return test_fault_calls(OS_FAULT_ALLOC) - test_fault_calls(OS_FAULT_FREE);
}

static inline void wait_until_done(tuco_ctx *ctx) {
    ASSERT_EQ(tuco_chan_recv(tuco_ctx_done(ctx), NULL), -EPIPE);
}

#endif
