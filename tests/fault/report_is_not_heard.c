/* SPDX-License-Identifier: MIT */
/* Proves: a report ends the process with status 2 even if a part of it, or all of it,
   cannot be written. */
#include "fault.h"
#include "test.h"

#include <errno.h>

#define CALLS_MAX TEST_SIZE(40, 12) /* all parts of the report, or some */

static void never_done(void *arg) {
    tuco_wg_wait(arg);
}

static int blocked_main(void *arg) {
    (void)arg;
    tuco_wg wg = {0};
    tuco_wg_add(&wg, 1);
    for (int i = 0; i < 3; i++) {
        ASSERT_EQ(tuco_go(never_done, &wg), 0);
    }
    tuco_wg_wait(&wg);
    return 0;
}

static void run(void *arg) {
    (void)arg;
    tuco_run(blocked_main, NULL);
}

TEST(one_part_is_lost) {
    static struct test_child child;
    for (int call = 1; call < CALLS_MAX; call++) {
        test_fault_plan(OS_FAULT_WRITE, call, 1, EPIPE);
        test_child_run(&child, run, NULL);
        EXPECT_STATUS(&child, 2);
        ASSERT_GT(child.size, 0); // the other parts are there
    }
}

TEST(all_is_lost) {
    static struct test_child child;
    test_fault_plan(OS_FAULT_WRITE, 1, TEST_FAULT_ALWAYS, EPIPE);
    test_child_run(&child, run, NULL);
    EXPECT_STATUS(&child, 2);
    ASSERT_EQ(child.size, 0);
}
