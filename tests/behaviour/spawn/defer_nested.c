/* SPDX-License-Identifier: MIT */
/* Proves: a deferred call may defer further calls, which run before the ones deferred
   earlier. */
#include "test.h"

#include <string.h>

static tuco_wg wg;
static char text[16];

static void append(void *arg) {
    strncat(text, arg, sizeof(text) - strlen(text) - 1);
}

static void defer_more(void *arg) {
    append(arg);
    ASSERT_EQ(tuco_defer(append, "2"), 0);
    ASSERT_EQ(tuco_defer(append, "1"), 0);
}

static void exit_in_deferred(void *arg) {
    append(arg);
    tuco_exit(); // ends this call only: the ones deferred earlier still run
}

static void body(void *arg) {
    (void)arg;
    ASSERT_EQ(tuco_defer(append, "b"), 0);
    ASSERT_EQ(tuco_defer(exit_in_deferred, "x"), 0);
    ASSERT_EQ(tuco_defer(append, "a"), 0);
    ASSERT_EQ(tuco_defer(defer_more, "n"), 0);
}

static int run_main(void *arg) {
    (void)arg;
    ASSERT_EQ(tuco_wg_go(&wg, body, NULL), 0);
    tuco_wg_wait(&wg);
    ASSERT_STR(text, "n12axb");
    return 0;
}

TEST(defer_nested) {
    RUN(run_main);
}
