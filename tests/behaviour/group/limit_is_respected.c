/* SPDX-License-Identifier: MIT */
/* Proves: no more goroutines of a group run at once than its limit, the limit is reached,
   and all goroutines run in the end. */
#include "contexts.h"

#define CALLS TEST_SIZE(500, 100)
#define LIMIT 3

static atomic_int running;
static atomic_int ran;
static atomic_int full;
static int limit;

static int work(tuco_ctx *ctx, void *arg) {
    (void)ctx;
    (void)arg;
    int now = atomic_fetch_add(&running, 1) + 1;
    ASSERT_LE(now, limit);
    if (atomic_fetch_add(&ran, 1) < limit) {
        test_await(&full, 1); // the first ones wait for each other
    }
    tuco_yield();
    atomic_fetch_sub(&running, 1);
    return 0;
}

/* If fewer than the limit could run, this would hang. */
static void await_limit(void *arg) {
    (void)arg;
    test_await(&running, limit);
    atomic_store(&full, 1);
}

static int run_main(void *arg) {
    (void)arg;
    for (limit = 1; limit <= LIMIT; limit++) {
        tuco_wg wg = {0};
        atomic_store(&ran, 0);
        atomic_store(&full, 0);
        tuco_group *group = MADE(tuco_group_make(tuco_ctx_background(), limit));
        ASSERT_EQ(tuco_wg_go(&wg, await_limit, NULL), 0);
        for (int i = 0; i < CALLS; i++) {
            ASSERT_EQ(tuco_group_go(group, work, NULL), 0);
        }
        ASSERT_EQ(tuco_group_wait(group), 0);
        tuco_wg_wait(&wg);
        ASSERT_EQ(atomic_load(&ran), CALLS);
    }
    return 0;
}

TEST(limit_is_respected) {
    RUN(run_main);
}

TEST(negative_limit) {
    ASSERT(tuco_group_make(tuco_ctx_background(), -1) == NULL);
}
