/* SPDX-License-Identifier: MIT */
/* Proves: deferred calls run last first, once, whether a goroutine returns or calls
   tuco_exit. */
#include "test.h"

#include <string.h>

static tuco_wg wg;
static char text[16]; /* written by one goroutine, read after it ended */

static void append(void *arg) {
    strncat(text, arg, sizeof(text) - strlen(text) - 1);
}

static void done(void *arg) {
    tuco_wg_done(arg);
}

static void defer_three(void) {
    ASSERT_EQ(tuco_defer(done, &wg), 0); // first, so that it runs last
    ASSERT_EQ(tuco_defer(append, "a"), 0);
    ASSERT_EQ(tuco_defer(append, "b"), 0);
    ASSERT_EQ(tuco_defer(append, "c"), 0);
    append("body ");
}

static void by_return(void *arg) {
    (void)arg;
    defer_three();
}

static void by_exit(void *arg) {
    (void)arg;
    defer_three();
    tuco_exit();
}

static int run_main(void *arg) {
    tuco_wg_add(&wg, 1);
    ASSERT_EQ(tuco_go(*(tuco_fn **)arg, NULL), 0);
    tuco_wg_wait(&wg);
    ASSERT_STR(text, "body cba");
    return 0;
}

TEST(defer_on_return) {
    ASSERT_EQ(tuco_run(run_main, &(tuco_fn *){by_return}), 0);
}

TEST(defer_on_exit) {
    ASSERT_EQ(tuco_run(run_main, &(tuco_fn *){by_exit}), 0);
}
