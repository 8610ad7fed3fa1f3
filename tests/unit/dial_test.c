/* SPDX-License-Identifier: MIT */
/* Proves: a dial tries the next address 300 ms after the last, or sooner if the deadline
   requires it; address families alternate. */
#include "test.h"
#include "net/dial.h"

#include <string.h>

#define NOW INT64_C(1000)

static int64_t delay_ms(int64_t ms, int left) {
    return rt_dial_delay(NOW, NOW + ms * TUCO_MILLISECOND, left) / TUCO_MILLISECOND;
}

TEST(delay) {
    ASSERT_EQ(delay_ms(10000, 1), 300);
    ASSERT_EQ(delay_ms(10000, 9), 300);
    ASSERT_EQ(delay_ms(600, 1), 300);
    ASSERT_EQ(delay_ms(500, 1), 250);
    ASSERT_EQ(delay_ms(500, 4), 100);
    ASSERT_EQ(rt_dial_delay(NOW, NOW + 1, 2), 0);
}

TEST(no_overflow) {
    ASSERT_EQ(rt_dial_delay(NOW, TUCO_NEVER, 3), 300 * TUCO_MILLISECOND);
    ASSERT_EQ(rt_dial_delay(NOW, TUCO_NEVER - 1, 1), 300 * TUCO_MILLISECOND);
}

/* Families as digits, and for each place the previous place of its address. */
static void expect_order(const char *families, const char *places) {
    struct os_address list[8] = {0};
    int count = (int)strlen(families);
    for (int i = 0; i < count; i++) {
        list[i].family = families[i] == '4' ? OS_FAMILY_IPV4 : OS_FAMILY_IPV6;
        list[i].port = (uint16_t)i;
    }
    rt_dial_interleave(list, count);
    for (int i = 0; i < count; i++) {
        ASSERT_EQ(list[i].port, places[i] - '0');
    }
}

TEST(interleaved) {
    expect_order("6", "0");
    expect_order("66", "01");
    expect_order("64", "01");
    expect_order("46", "01");
    expect_order("6644", "0213");
    expect_order("4466", "0213");
    expect_order("66664", "04123");
    expect_order("644466", "014253");
}
