/* SPDX-License-Identifier: MIT */
/* not under tsan */
/* Proves: TUCOSTACK accepts bytes and the suffixes K, M and G. A bad value fails the
   start with a message that names it. */
/* fixed procs */
#include "main_calls.h"

#include <errno.h>

static void expect_refused(void *arg) {
    test_setenv("TUCOSTACK", arg);
    ASSERT_EQ(tuco_run(main_calls_count, NULL), -EINVAL);
    ASSERT_EQ(tuco_start(), -EINVAL);
    ASSERT_EQ(main_calls, 0);
}

TEST(bad_values) {
    static struct test_child child;
    static char *const bad[] = {"1",    "12q",        "K",     "-64K",
                                "64KB", "100000000T", "16383", "65G"};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        test_child_run(&child, expect_refused, bad[i]);
        ASSERT_HAS(child.text, "TUCOSTACK");
        ASSERT_HAS(child.text, bad[i]);
        EXPECT_STATUS(&child, 0);
    }
}

/* A copied argument may take half the stack, so one byte more must fail. */
static int expect_half_main(void *arg) {
    static char block[((size_t)2 << 20) + 1];
    size_t half = *(size_t *)arg;
    ASSERT_EQ(tuco_go_copy(test_return_at_once, block, half + 1), -EINVAL);
    return 0;
}

TEST(good_values) {
    static const struct {
        const char *text;
        size_t half;
    } good[] = {{"32768", 16384}, {"64K", 32768}, {"512K", 262144}, {"4M", 2097152}};
    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
        test_setenv("TUCOSTACK", good[i].text);
        ASSERT_EQ(tuco_run(expect_half_main, (void *)&good[i].half), 0);
    }
    test_setenv("TUCOSTACK", "1G");
    RUN(main_calls_count);
}
