/* SPDX-License-Identifier: MIT */
/* Proves: a goroutine may defer any number of calls, and a reused descriptor starts with
   none. */
#include "test.h"

#define DEFERS 10000
#define ROUNDS 20

static tuco_wg wg;
static int next; /* the argument that the next deferred call must have */

static void count_down(void *arg) {
    ASSERT_EQ((intptr_t)arg, next);
    next--;
}

static void defer_all(void *arg) {
    (void)arg;
    for (intptr_t i = 0; i < DEFERS; i++) {
        ASSERT_EQ(tuco_defer(count_down, (void *)i), 0);
    }
    next = DEFERS - 1;
}

static void defer_none(void *arg) {
    (void)arg;
}

static int run_main(void *arg) {
    (void)arg;
    for (int i = 0; i < ROUNDS; i++) {
        ASSERT_EQ(tuco_wg_go(&wg, defer_all, NULL), 0);
        tuco_wg_wait(&wg);
        ASSERT_EQ(next, -1);
        ASSERT_EQ(tuco_wg_go(&wg, defer_none, NULL), 0);
        tuco_wg_wait(&wg);
        ASSERT_EQ(next, -1);
    }
    return 0;
}

TEST(defer_many) {
    RUN(run_main);
}
