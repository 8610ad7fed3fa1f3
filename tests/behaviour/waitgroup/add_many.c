/* SPDX-License-Identifier: MIT */
/* Proves: the counter accepts any step up and down to its limit, and waiters return only
   at zero. */
#include "test.h"

#include <limits.h>

static tuco_wg wg;
static tuco_wg end;
static atomic_int passed;

static void wait_here(void *arg) {
    (void)arg;
    tuco_wg_wait(&wg);
    atomic_fetch_add(&passed, 1);
}

static void expect_blocked(void) {
    for (int i = 0; i < 100; i++) {
        tuco_yield();
        ASSERT_EQ(atomic_load(&passed), 0);
    }
}

static int run_main(void *arg) {
    (void)arg;
    tuco_wg_wait(&wg); // zero already
    tuco_wg_add(&wg, 0);
    tuco_wg_wait(&wg);
    tuco_wg_add(&wg, INT_MAX);
    for (int i = 0; i < 3; i++) {
        ASSERT_EQ(tuco_wg_go(&end, wait_here, NULL), 0);
    }
    expect_blocked();
    tuco_wg_add(&wg, -INT_MAX + 2);
    expect_blocked();
    tuco_wg_add(&wg, 1);
    tuco_wg_add(&wg, -2);
    expect_blocked();
    tuco_wg_done(&wg);
    tuco_wg_wait(&end);
    ASSERT_EQ(atomic_load(&passed), 3);
    return 0;
}

TEST(add_many) {
    RUN(run_main);
}
