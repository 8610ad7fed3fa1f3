/* SPDX-License-Identifier: MIT */
/* Proves: the CPU time of a wait with a deadline, ended by the last done or by the clock,
   does not depend on the number of such waits for other groups. */
/* serial */
/* not under tsan */
#include "test.h"

#include <errno.h>

#define OTHERS TEST_SIZE(100000, 2000)
#define WAITS  TEST_SIZE(2000, 200)
#define TRIES  5

/* Waits that walked a list of the others took 20 to 200 times as long. */
#define RATIO_MAX 10

static tuco_wg others[OTHERS];
static tuco_wg groups[WAITS];
static tuco_time deadline;
static atomic_int waiting;
static tuco_wg end;
static tuco_wg expired;

static void wait_until_done(void *wg) {
    atomic_fetch_add(&waiting, 1);
    ASSERT_EQ(tuco_wg_wait_until(wg, tuco_deadline(3600 * TUCO_SECOND)), 0);
}

static void wait_until_deadline(void *wg) {
    atomic_fetch_add(&waiting, 1);
    ASSERT_EQ(tuco_wg_wait_until(wg, deadline), -ETIMEDOUT);
}

/* Goroutines that wait for a group each. */
static void start(tuco_wg *wgs, int count, tuco_fn *fn, tuco_wg *all) {
    atomic_store(&waiting, 0);
    for (int i = 0; i < count; i++) {
        tuco_wg_add(&wgs[i], 1);
        ASSERT_EQ(tuco_wg_go(all, fn, &wgs[i]), 0);
    }
    while (atomic_load(&waiting) < count) {
        tuco_yield();
    }
}

static void done_all(tuco_wg *wgs, int count) {
    for (int i = 0; i < count; i++) {
        tuco_wg_done(&wgs[i]);
    }
}

static tuco_time cost_of_dones(void) {
    start(groups, WAITS, wait_until_done, &end);
    tuco_time before = test_cpu_time();
    done_all(groups, WAITS);
    return test_cpu_time() - before;
}

/* With the start, because on a slow machine the deadline passes meanwhile. */
static tuco_time cost_of_deadlines(void) {
    deadline = tuco_deadline(10 * TUCO_MILLISECOND);
    tuco_time before = test_cpu_time();
    start(groups, WAITS, wait_until_deadline, &expired);
    tuco_wg_wait(&expired);
    tuco_time cost = test_cpu_time() - before;
    done_all(groups, WAITS);
    return cost;
}

static tuco_time least(tuco_time (*cost)(void)) {
    tuco_time best = TUCO_NEVER;
    for (int i = 0; i < TRIES; i++) {
        tuco_time spent = cost();
        best = spent < best ? spent : best;
    }
    return best;
}

static int run_main(void *arg) {
    (void)arg;
    tuco_time dones_alone = least(cost_of_dones);
    tuco_time deadlines_alone = least(cost_of_deadlines);
    start(others, OTHERS, wait_until_done, &end);
    tuco_time dones = least(cost_of_dones);
    tuco_time deadlines = least(cost_of_deadlines);
    ASSERT_LE(dones, RATIO_MAX * dones_alone);
    ASSERT_LE(deadlines, RATIO_MAX * deadlines_alone);
    done_all(others, OTHERS);
    tuco_wg_wait(&end);
    return 0;
}

TEST(deadlines_of_other_groups_cost_nothing) {
    RUN(run_main);
}
