/* SPDX-License-Identifier: MIT */
/* Proves: without a running runtime every way to spawn returns -ESRCH and changes
   nothing. */
/* fixed procs */
#include "test.h"

#include <errno.h>

static int calls;

static void count(void *arg) {
    (void)arg;
    calls++;
}

static void expect_refused(void) {
    char value = 7;
    tuco_wg wg = {0};
    ASSERT_EQ(tuco_go(count, NULL), -ESRCH);
    ASSERT_EQ(tuco_go_copy(count, &value, sizeof(value)), -ESRCH);
    ASSERT_EQ(tuco_go_attr(&(tuco_attr){.name = "unstarted"}, count, NULL), -ESRCH);
    ASSERT_EQ(tuco_wg_go(&wg, count, NULL), -ESRCH);
    tuco_wg_wait(&wg); // returns at once: the failed spawn has left the counter at zero
    ASSERT_EQ(calls, 0);
    ASSERT_EQ(tuco_count(), 0);
}

TEST(spawn_before_the_first_run) {
    expect_refused();
}

TEST(spawn_after_a_run) {
    RUN(test_empty_main);
    expect_refused();
}
