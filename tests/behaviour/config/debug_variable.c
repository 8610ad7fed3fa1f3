/* SPDX-License-Identifier: MIT */
/* not under tsan */
/* Proves: a bad value in TUCODEBUG fails the start with a message that names it; an
   unknown key is reported and ignored. */
/* fixed procs */
#include "main_calls.h"

#include <errno.h>

static void expect_refused(void *arg) {
    test_setenv("TUCODEBUG", arg);
    ASSERT_EQ(tuco_run(main_calls_count, NULL), -EINVAL);
    ASSERT_EQ(tuco_start(), -EINVAL);
    ASSERT_EQ(main_calls, 0);
}

static void expect_accepted(void *arg) {
    test_setenv("TUCODEBUG", arg);
    RUN(main_calls_count);
    ASSERT_EQ(main_calls, 1);
}

static struct test_child child;

TEST(bad_values) {
    static char *const bad[][2] = {{"schedtrace=abc", "abc"}, {"schedtrace=-5", "-5"}};
    for (int i = 0; i < 2; i++) {
        test_child_run(&child, expect_refused, bad[i][0]);
        EXPECT_STATUS(&child, 0);
        ASSERT_HAS(child.text, "TUCODEBUG");
        ASSERT_HAS(child.text, "schedtrace");
        ASSERT_HAS(child.text, bad[i][1]);
    }
}

TEST(unknown_key) {
    test_child_run(&child, expect_accepted, "nosuchkey=1,schedtrace=0");
    EXPECT_STATUS(&child, 0);
    ASSERT_HAS(child.text, "TUCODEBUG");
    ASSERT_HAS(child.text, "nosuchkey");
}

TEST(nothing_to_say) {
    static char *const good[] = {"", ",", "schedtrace=0",
                                 "schedtrace=0,,schedtrace=60000"};
    for (int i = 0; i < 4; i++) {
        test_child_run(&child, expect_accepted, good[i]);
        EXPECT_STATUS(&child, 0);
        ASSERT_STR(child.text, "");
    }
}
