/* SPDX-License-Identifier: MIT */
/* Proves: a try returns whether the counter is zero; it never waits, leaves the group and
   its waiters unchanged, and needs no runtime. */
#include "chans.h"

static tuco_wg wg;
static tuco_wg end;

static void wait_long(void *arg) {
    (void)arg;
    ASSERT_EQ(tuco_wg_wait_until(&wg, tuco_deadline(TUCO_HOUR)), 0);
}

static void wait_for_ever(void *arg) {
    (void)arg;
    tuco_wg_wait(&wg);
}

static void try_often(void *arg) {
    tuco_wg own = {0};
    (void)arg;
    ASSERT(tuco_wg_try_wait(&own));
    tuco_wg_add(&own, 2);
    ASSERT(!tuco_wg_try_wait(&own));
    tuco_wg_done(&own);
    ASSERT(!tuco_wg_try_wait(&own));
    ASSERT(!tuco_wg_try_wait(&own));
    tuco_wg_done(&own);
    ASSERT(tuco_wg_try_wait(&own));
    ASSERT(tuco_wg_try_wait(&own));
    tuco_wg_wait(&own);
    tuco_wg_add(&own, INT32_MAX);
    ASSERT(!tuco_wg_try_wait(&own));
}

/* All of them are in the group's word, or in lists that it names. */
static int run_main(void *arg) {
    static tuco_fn *const waits[] = {wait_for_ever, wait_long, wait_for_ever};
    try_often(arg);
    tuco_wg_add(&wg, 1);
    for (int i = 0; i < 3; i++) {
        ASSERT_EQ(tuco_wg_go(&end, waits[i], NULL), 0);
        test_await_waiting(i + 1);
        ASSERT(!tuco_wg_try_wait(&wg));
    }
    tuco_wg_done(&wg);
    ASSERT(tuco_wg_try_wait(&wg)); // also if none of them has run yet
    tuco_wg_wait(&end);
    return 0;
}

TEST(try_wait) {
    RUN(run_main);
}

TEST(without_a_runtime) {
    test_threads_run(2, try_often, NULL);
}
