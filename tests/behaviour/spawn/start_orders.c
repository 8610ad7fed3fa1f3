/* SPDX-License-Identifier: MIT */
/* Proves: a goroutine sees all writes that its creator made before the call that started
   it, for each of the calls. */
#include "contexts.h"

#define ROUNDS TEST_SIZE(300, 60)

static int plain; /* ThreadSanitizer reports a missing ordering */
static atomic_int looked;

static void look(void *value) {
    ASSERT_EQ(plain, (intptr_t)value);
    atomic_store(&looked, 1);
}

static void look_at_copy(void *value) {
    look((void *)*(intptr_t *)value);
}

static int look_in_group(tuco_ctx *ctx, void *value) {
    (void)ctx;
    look(value);
    return 0;
}

static int start(int way, intptr_t value, tuco_wg *wg, tuco_group *group) {
    switch (way) {
    case 0: return tuco_go(look, (void *)value);
    case 1: return tuco_go_copy(look_at_copy, &value, sizeof value);
    case 2: return tuco_go_attr(NULL, look, (void *)value);
    case 3: return tuco_wg_go(wg, look, (void *)value);
    case 4: return tuco_group_go(group, look_in_group, (void *)value);
    default: return tuco_group_try_go(group, look_in_group, (void *)value);
    }
}

static void start_all(void *arg) {
    tuco_wg wg = {0};
    tuco_group *group = MADE(tuco_group_make(tuco_ctx_background(), 0));
    (void)arg;
    for (int i = 0; i < ROUNDS; i++) {
        atomic_store(&looked, 0);
        plain = i + 1;
        ASSERT_EQ(start(i % 6, i + 1, &wg, group), 0);
        test_await(&looked, 1);
    }
    tuco_wg_wait(&wg);
    ASSERT_EQ(tuco_group_wait(group), 0);
}

static int run_main(void *arg) {
    start_all(arg);
    return 0;
}

TEST(start_by_goroutine) {
    RUN(run_main);
}

TEST(start_by_thread) {
    ASSERT_EQ(tuco_start(), 0);
    start_all(NULL);
    ASSERT_EQ(tuco_stop(TUCO_NEVER), 0);
}
