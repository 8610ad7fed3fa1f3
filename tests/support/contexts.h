/* SPDX-License-Identifier: MIT */
/* contexts.h: what tests of contexts ask again and again. */
#ifndef TEST_CONTEXTS_H
#define TEST_CONTEXTS_H

#include "fault.h"
#include "timers.h"

/* The context is not done, by all signs of it. Its channel, if it has one, is open. */
#define EXPECT_OPEN(ctx)                                                  \
    do {                                                                  \
        ASSERT_EQ(tuco_chan_try_recv(tuco_ctx_done(ctx), NULL), -EAGAIN); \
        ASSERT_EQ(tuco_ctx_err(ctx), 0);                                  \
        ASSERT_EQ(tuco_ctx_cause(ctx), 0);                                \
    } while (0)

/* It is done, by all signs. */
#define EXPECT_DONE(ctx, err, cause)                                     \
    do {                                                                 \
        ASSERT_EQ(tuco_chan_try_recv(tuco_ctx_done(ctx), NULL), -EPIPE); \
        ASSERT_EQ(tuco_ctx_err(ctx), err);                               \
        ASSERT_EQ(tuco_ctx_cause(ctx), cause);                           \
    } while (0)

/* Counts blocks of memory from here on, and lets no allocation fail. */
static inline void count_blocks(void) {
    test_fault_plan(OS_FAULT_ALLOC, TEST_FAULT_ALWAYS, 1, ENOMEM);
    test_fault_plan(OS_FAULT_FREE, TEST_FAULT_ALWAYS, 1, ENOMEM);
}

/* How many there are more than when that began. */
static inline int blocks_held(void) {
    return test_fault_calls(OS_FAULT_ALLOC) - test_fault_calls(OS_FAULT_FREE);
}

static inline void wait_until_done(tuco_ctx *ctx) {
    ASSERT_EQ(tuco_chan_recv(tuco_ctx_done(ctx), NULL), -EPIPE);
}

#endif
