/* SPDX-License-Identifier: MIT */
/* Proves: goroutines run with every stack guard that TUCOGUARD can name, and an unknown
   name fails the start. */
#include "test.h"
#include "scenario.h"

#include <errno.h>

static void expect_refused(void *arg) {
    test_setenv("TUCOGUARD", arg);
    ASSERT_EQ(tuco_run(test_empty_main, NULL), -EINVAL);
}

TEST(every_guard_works) {
    static const char *const guards[] = {"madvise", "mprotect", "gap"};
    for (int i = 0; i < 3; i++) {
        test_setenv("TUCOGUARD", guards[i]);
        test_scenario();
    }
}

TEST(unknown_guard) {
    static struct test_child child;
    test_child_run(&child, expect_refused, "fence");
    EXPECT_STATUS(&child, 0);
    ASSERT_HAS(child.text, "TUCOGUARD");
    ASSERT_HAS(child.text, "fence");
}
