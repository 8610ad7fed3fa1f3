/* SPDX-License-Identifier: MIT */
/* Proves: the dump names the goroutine that made a timer or a call after a context as the
   creator of the goroutine that runs the function, not the goroutine that started it. */
#include "contexts.h"
#include "waiting.h"

#include <stdio.h>

#define CALLS 2

static tuco_wg gate;
static tuco_wg end;
static tuco_ctx *ctx;
static tuco_timer *timer;
static tuco_ctx_after *after;
static uint64_t maker;

static void wait_at_gate(void *arg) {
    (void)arg;
    tuco_wg_wait(&gate);
    tuco_wg_done(&end);
}

static void make_both(void *arg) {
    (void)arg;
    maker = tuco_id();
    timer = MADE(tuco_timer_func(TUCO_MILLISECOND, wait_at_gate, NULL));
    after = MADE(tuco_ctx_after_make(ctx, wait_at_gate, NULL));
}

static int run_main(void *arg) {
    (void)arg;
    char creator[64];
    tuco_wg_add(&gate, 1);
    ctx = MADE(tuco_ctx_with_cancel(tuco_ctx_background()));
    ASSERT_EQ(tuco_wg_go(&end, make_both, NULL), 0);
    tuco_wg_wait(&end);
    tuco_wg_add(&end, CALLS);
    tuco_ctx_cancel(ctx);
    test_await_waiting("sync.WaitGroup.Wait", CALLS);
    snprintf(creator, sizeof creator, " in goroutine %llu\n", (unsigned long long)maker);
    ASSERT_EQ(test_occurrences(test_dump(), creator), CALLS);
    tuco_wg_done(&gate);
    tuco_wg_wait(&end);
    tuco_timer_free(timer);
    tuco_ctx_after_free(after);
    tuco_ctx_unref(ctx);
    return 0;
}

TEST(creator_of_timed_call) {
    RUN(run_main);
}
