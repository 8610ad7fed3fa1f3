/* SPDX-License-Identifier: MIT */
/* Proves: tuco_go runs the function once, with its argument, in a goroutine of its
   own. */
#include "test.h"

#define COUNT 100

static tuco_wg wg;
static int calls[COUNT];
static uint64_t ids[COUNT];

static void mark(void *arg) {
    int i = (int)((int *)arg - calls);
    calls[i]++;
    ids[i] = tuco_id();
    tuco_wg_done(&wg);
}

static int run_main(void *arg) {
    (void)arg;
    tuco_wg_add(&wg, COUNT);
    for (int i = 0; i < COUNT; i++) {
        ASSERT_EQ(tuco_go(mark, &calls[i]), 0);
    }
    tuco_wg_wait(&wg);
    for (int i = 0; i < COUNT; i++) {
        ASSERT_EQ(calls[i], 1);
        ASSERT_NE(ids[i], 0);
        ASSERT_NE(ids[i], tuco_id());
    }
    return 0;
}

TEST(spawn_from_goroutine) {
    RUN(run_main);
}
