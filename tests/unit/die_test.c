/* SPDX-License-Identifier: MIT */
/* The function that a report calls before it ends the process. */
/* not under tsan */
#include "base/die.h"
#include "test.h"

#include <stdio.h>
#include <unistd.h>

static struct test_child child;

static void say_watched(void) {
    rt_print("watched ");
}

static void fail_in_report(const void *skip_until, bool whole) {
    (void)skip_until;
    (void)whole;
    rt_throw("a second mistake");
}

static void die_watched(void *arg) {
    (void)arg;
    rt_die_watch(say_watched);
    ASSERT_EQ(setvbuf(stdout, NULL, _IOFBF, BUFSIZ), 0);
    ASSERT_EQ(dup2(STDERR_FILENO, STDOUT_FILENO), STDOUT_FILENO);
    printf("flushed ");
    rt_fatal("a mistake");
}

TEST(called_before_and_after_the_flush) {
    test_child_run(&child, die_watched, NULL);
    EXPECT_STATUS(&child, RT_EXIT_STATUS);
    ASSERT_MATCH(child.text, "^watched flushed watched $");
}

static void die_twice(void *arg) {
    rt_die_report = fail_in_report;
    die_watched(arg);
}

TEST(called_if_the_report_fails) {
    test_child_run(&child, die_twice, NULL);
    EXPECT_STATUS(&child, RT_EXIT_STATUS);
    ASSERT_MATCH(child.text, "^watched $");
    ASSERT_LACKS(child.text, "a second mistake");
}

static void fail_each_time(void) {
    rt_print("watched ");
    rt_throw("a second mistake");
}

static void die_in_watcher(void *arg) {
    (void)arg;
    rt_die_watch(fail_each_time);
    rt_fatal("a mistake");
}

TEST(it_may_fail) {
    test_child_run(&child, die_in_watcher, NULL);
    EXPECT_STATUS(&child, RT_EXIT_STATUS);
    ASSERT_LACKS(child.text, "a second mistake");
}
