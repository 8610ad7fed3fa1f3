/* SPDX-License-Identifier: MIT */
/* Proves: the clock is positive and never goes back; a deadline cannot overflow. */
/* fixed procs */
#include "test.h"

#include <time.h>

#define LOOKS 100000

TEST(clock_never_goes_back) {
    tuco_time last = tuco_now();
    ASSERT_GT(last, 0);
    for (int i = 0; i < LOOKS; i++) {
        tuco_time now = tuco_now();
        ASSERT_GE(now, last);
        last = now;
    }
}

TEST(clock_is_the_monotonic_one) {
    struct timespec before;
    struct timespec after;
    clock_gettime(CLOCK_MONOTONIC, &before);
    tuco_time now = tuco_now();
    clock_gettime(CLOCK_MONOTONIC, &after);
    ASSERT_GE(now, before.tv_sec * TUCO_SECOND + before.tv_nsec);
    ASSERT_LE(now, after.tv_sec * TUCO_SECOND + after.tv_nsec);
}

TEST(deadline_lies_ahead) {
    tuco_time before = tuco_now();
    tuco_time deadline = tuco_deadline(TUCO_SECOND);
    ASSERT_GE(deadline, before + TUCO_SECOND);
    ASSERT_LE(deadline, tuco_now() + TUCO_SECOND);
}

TEST(far_deadline_is_never) {
    ASSERT_EQ(tuco_deadline(TUCO_NEVER), TUCO_NEVER);
    ASSERT_EQ(tuco_deadline(TUCO_NEVER - 1), TUCO_NEVER);
    ASSERT_LT(tuco_deadline(TUCO_NEVER / 2), TUCO_NEVER);
}

TEST(negative_deadline_is_past) {
    ASSERT_LT(tuco_deadline(-1), tuco_now());
    ASSERT_LT(tuco_deadline(-TUCO_SECOND), tuco_now());
    ASSERT_LT(tuco_deadline(INT64_MIN), 0);
}
