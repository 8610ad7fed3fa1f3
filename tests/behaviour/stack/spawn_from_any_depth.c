/* SPDX-License-Identifier: MIT */
/* Proves: spawning, waiting and yielding work from every depth up to 1023. */
#include "test.h"

#define DEPTH_MAX 1023

static tuco_wg wg;
static atomic_int ran;

static void count(void *arg) {
    (void)arg;
    atomic_fetch_add(&ran, 1);
}

__attribute__((noinline)) static int descend(int depth, int bottom) {
    volatile char frame[32] = {(char)depth};
    if (depth < bottom) {
        return descend(depth + 1, bottom) + (frame[0] != (char)depth);
    }
    ASSERT_EQ(tuco_wg_go(&wg, count, NULL), 0);
    tuco_yield();
    tuco_wg_wait(&wg);
    return 0;
}

static int run_main(void *arg) {
    (void)arg;
    for (int bottom = 0; bottom <= DEPTH_MAX; bottom++) {
        ASSERT_EQ(descend(0, bottom), 0);
        ASSERT_EQ(atomic_load(&ran), bottom + 1);
    }
    return 0;
}

TEST(spawn_from_any_depth) {
    RUN(run_main);
}
