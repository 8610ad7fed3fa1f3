/* SPDX-License-Identifier: MIT */
/* not under tsan */
/* Proves: TUCOPROCS accepts 1 to 1024. A bad value fails the start with a message that
   names it, and starts no thread. */
/* fixed procs */
#include "main_calls.h"

#include <errno.h>
#include <stdio.h>

/* The test captures the standard error of this child. */
static void expect_refused(void *arg) {
    test_setenv("TUCOPROCS", arg);
    int threads = test_count_threads();
    ASSERT_EQ(tuco_run(main_calls_count, NULL), -EINVAL);
    ASSERT_EQ(tuco_start(), -EINVAL);
    ASSERT_EQ(main_calls, 0);
    ASSERT_EQ(test_count_threads(), threads);
    ASSERT_EQ(tuco_go(test_return_at_once, NULL), -ESRCH);
    test_setenv("TUCOPROCS", "2");
    ASSERT_EQ(tuco_run(main_calls_count, NULL), 0); // a refused start does no harm
    ASSERT_EQ(main_calls, 1);
}

TEST(bad_values) {
    static struct test_child child;
    static char *const bad[] = {
        "0", "-1", "abc", "1025", "2x", " ", "99999999999999999999"};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        test_child_run(&child, expect_refused, bad[i]);
        ASSERT_HAS(child.text, "TUCOPROCS");
        ASSERT_HAS(child.text, bad[i]);
        EXPECT_STATUS(&child, 0);
    }
}

TEST(good_values) {
    static const int good[] = {1, 2, 3, 7, 64, 255, 256, 257, 1000, 1023, 1024};
    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
        char text[16];
        snprintf(text, sizeof(text), "%d", good[i]);
        test_setenv("TUCOPROCS", text);
        RUN(main_calls_count);
    }
    test_setenv("TUCOPROCS", ""); // as if it were not there
    RUN(main_calls_count);
}
