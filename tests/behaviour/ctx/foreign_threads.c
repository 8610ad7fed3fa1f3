/* SPDX-License-Identifier: MIT */
/* Proves: threads and goroutines share contexts: both derive from them, wait for them and
   see a cancel, with deadlines and calls. Threads use contexts while the runtime starts
   and stops. */
#include "contexts.h"

#define THREADS 4
#define ROUNDS  TEST_SIZE(200, 30)

static tuco_ctx *shared;
static atomic_int waiting;
static atomic_int calls;

static void wait_below(void *arg) {
    (void)arg;
    tuco_ctx *below = MADE(tuco_ctx_with_timeout(shared, 3600 * TUCO_SECOND));
    atomic_fetch_add(&waiting, 1);
    wait_until_done(below);
    EXPECT_DONE(below, -ECANCELED, 8);
    tuco_ctx_unref(below);
}

static void count(void *arg) {
    (void)arg;
    atomic_fetch_add(&calls, 1);
}

static void one_round(void) {
    struct test_thread threads[THREADS];
    tuco_wg wg = {0};
    atomic_store(&waiting, 0);
    atomic_store(&calls, 0);
    shared = MADE(tuco_ctx_with_cancel(tuco_ctx_background()));
    tuco_ctx_after_free(MADE(tuco_ctx_after_make(shared, count, NULL)));
    for (int i = 0; i < THREADS; i++) {
        test_thread_start(&threads[i], wait_below, NULL);
        ASSERT_EQ(tuco_wg_go(&wg, wait_below, NULL), 0);
    }
    test_await(&waiting, 2 * THREADS);
    tuco_ctx_cancel_cause(shared, 8);
    for (int i = 0; i < THREADS; i++) {
        test_thread_join(&threads[i]);
    }
    tuco_wg_wait(&wg);
    test_await(&calls, 1);
    tuco_ctx_unref(shared);
}

TEST(cancelled_by_a_thread) {
    for (int i = 0; i < ROUNDS; i++) {
        ASSERT_EQ(tuco_start(), 0);
        one_round();
        ASSERT_EQ(tuco_stop(TUCO_NEVER), 0);
    }
}

/* Uses contexts while the runtime starts and stops. Few calls are made, because the stop
   waits for them. */
static void use_contexts(void *arg) {
    atomic_int *stop = arg;
    for (int i = 0; atomic_load(stop) == 0; i++) {
        tuco_ctx *ctx =
            MADE(tuco_ctx_with_timeout(tuco_ctx_background(), TUCO_MILLISECOND));
        tuco_ctx *below = MADE(tuco_ctx_with_cancel(ctx));
        tuco_ctx_after *after = MADE(tuco_ctx_after_make(below, count, NULL));
        if (i % 1024 != 0) {
            tuco_ctx_after_stop(after);
        }
        tuco_ctx_cancel(ctx);
        ASSERT_NE(tuco_ctx_err(below), 0);
        tuco_ctx_after_free(after);
        tuco_ctx_unref(below);
        tuco_ctx_unref(ctx);
    }
}

TEST(while_it_starts_and_stops) {
    atomic_int stop = 0;
    struct test_thread threads[2];
    for (int i = 0; i < 2; i++) {
        test_thread_start(&threads[i], use_contexts, &stop);
    }
    for (int i = 0; i < ROUNDS; i++) {
        ASSERT_EQ(tuco_start(), 0);
        ASSERT_EQ(tuco_stop(TUCO_NEVER), 0);
    }
    atomic_store(&stop, 1);
    for (int i = 0; i < 2; i++) {
        test_thread_join(&threads[i]);
    }
}
