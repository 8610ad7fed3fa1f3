/* SPDX-License-Identifier: MIT */
/* Proves: TUCODEBUG=mutexcheck=1 without the library that it needs prints a message, and
   the program runs as usual. */
#include "test.h"

static int wait_a_little(void *arg) {
    (void)arg;
    tuco_sleep(TUCO_MICROSECOND);
    return 0;
}

static void run_it(void *arg) {
    (void)arg;
    test_setenv("TUCODEBUG", "mutexcheck=1");
    ASSERT_EQ(tuco_run(wait_a_little, NULL), 0);
}

TEST(mutexcheck_needs_library) {
    static struct test_child child;
    test_child_run(&child, run_it, NULL);
    EXPECT_STATUS(&child, 0);
    ASSERT_MATCH(child.text, "^tuco: TUCODEBUG=mutexcheck=1: .*libtuco-mutexcheck");
}
