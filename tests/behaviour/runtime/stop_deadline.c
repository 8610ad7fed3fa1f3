/* SPDX-License-Identifier: MIT */
/* Proves: tuco_stop returns -ETIMEDOUT at its deadline, and the runtime works as
   before. */
#include "test.h"

#include <errno.h>

static tuco_wg gate;
static atomic_int started;
static atomic_int ran;

static void hold(void *arg) {
    (void)arg;
    atomic_store(&started, 1);
    tuco_wg_wait(&gate);
}

static void mark(void *arg) {
    (void)arg;
    atomic_fetch_add(&ran, 1);
}

static void expect_working(int round) {
    ASSERT_EQ(tuco_go(mark, NULL), 0);
    test_await(&ran, round);
    while (tuco_count() != 1) {
        sched_yield(); // until only hold() is left
    }
}

TEST(stop_deadline) {
    ASSERT_EQ(tuco_start(), 0);
    tuco_wg_add(&gate, 1);
    ASSERT_EQ(tuco_go(hold, NULL), 0);
    test_spin(&started, 1);
    ASSERT_EQ(tuco_stop(0), -ETIMEDOUT);
    expect_working(1);
    ASSERT_EQ(tuco_stop(tuco_now() - TUCO_SECOND), -ETIMEDOUT);
    expect_working(2);
    tuco_time deadline = tuco_deadline(30 * TUCO_MILLISECOND);
    ASSERT_EQ(tuco_stop(deadline), -ETIMEDOUT);
    ASSERT_GE(tuco_now(), deadline);
    expect_working(3);
    tuco_wg_done(&gate);
    ASSERT_EQ(tuco_stop(tuco_deadline(TUCO_NEVER)), 0);
    ASSERT_EQ(tuco_go(mark, NULL), -ESRCH);
}

/* A past deadline does not matter if there is no goroutine to wait for. */
TEST(stop_with_past_deadline_and_nothing_to_wait_for) {
    ASSERT_EQ(tuco_start(), 0);
    ASSERT_EQ(tuco_stop(0), 0);
    ASSERT_EQ(tuco_stop(0), -EINVAL);
}
