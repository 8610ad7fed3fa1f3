/* SPDX-License-Identifier: MIT */
/* Proves: names are copied, limited to TUCO_NAME_MAX bytes, shown in the dump, and
   removable. */
#include "test.h"

#include <errno.h>
#include <string.h>

static tuco_wg wg;
static char longest[TUCO_NAME_MAX + 1];
static char too_long[TUCO_NAME_MAX + 2];

static void rename_self(void *arg) {
    (void)arg;
    ASSERT_HAS(test_dump(), "first name");
    ASSERT_EQ(tuco_set_name(longest), 0);
    ASSERT_HAS(test_dump(), longest);
    ASSERT_EQ(tuco_set_name(too_long), -ENAMETOOLONG);
    ASSERT_HAS(test_dump(), longest);
    ASSERT_EQ(tuco_set_name(NULL), 0);
    ASSERT_LACKS(test_dump(), longest);
    tuco_wg_done(&wg);
}

/* The second goroutine most likely gets the descriptor of the first. */
static void expect_no_name_left_over(void) {
    ASSERT_EQ(tuco_go_attr(&(tuco_attr){.name = "left over"}, test_return_at_once, NULL),
              0);
    test_await_alone();
    ASSERT_EQ(tuco_go(test_return_at_once, NULL), 0);
    ASSERT_LACKS(test_dump(), "left over");
}

static int run_main(void *arg) {
    (void)arg;
    memset(longest, 'n', TUCO_NAME_MAX);
    memset(too_long, 't', TUCO_NAME_MAX + 1);
    char name[] = "first name";
    tuco_wg_add(&wg, 1);
    ASSERT_EQ(tuco_go_attr(&(tuco_attr){.name = too_long}, rename_self, NULL),
              -ENAMETOOLONG);
    ASSERT_EQ(tuco_go_attr(&(tuco_attr){.name = name}, rename_self, NULL), 0);
    memset(name, 'x', sizeof(name) - 1);
    tuco_wg_wait(&wg);
    expect_no_name_left_over();
    return 0;
}

TEST(names) {
    RUN(run_main);
    ASSERT_EQ(tuco_set_name("thread"), -EPERM);
}
