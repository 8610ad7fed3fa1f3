/* SPDX-License-Identifier: MIT */
/* Proves: the time for connecting is divided among the addresses, with at least two seconds
   for each if there are as many. */
#include "test.h"
#include "net/dial.h"

#define NOW INT64_C(1000)

static int64_t share(int64_t seconds, int count) {
    return (rt_dial_share(NOW, NOW + seconds * TUCO_SECOND, count) - NOW) / TUCO_SECOND;
}

TEST(equal_shares) {
    ASSERT_EQ(share(12, 1), 12);
    ASSERT_EQ(share(12, 2), 6);
    ASSERT_EQ(share(12, 6), 2);
}

TEST(at_least_two_seconds) {
    ASSERT_EQ(share(12, 7), 2);
    ASSERT_EQ(share(12, 1000), 2);
    ASSERT_EQ(share(2, 1000), 2);
    ASSERT_EQ(share(1, 1000), 1);
    ASSERT_EQ(rt_dial_share(NOW, NOW + 1, 2), NOW + 1);
}

TEST(no_overflow) {
    ASSERT_EQ(rt_dial_share(NOW, TUCO_NEVER, 3), TUCO_NEVER);
    ASSERT_EQ(rt_dial_share(NOW, TUCO_NEVER - 1, 1), TUCO_NEVER - 1);
    ASSERT_LT(rt_dial_share(NOW, TUCO_NEVER - 1, 2), TUCO_NEVER / 2 + NOW);
}
