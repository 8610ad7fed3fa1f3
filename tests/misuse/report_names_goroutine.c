/* SPDX-License-Identifier: MIT */
/* Proves: a misuse report names the goroutine at fault, its state "running", and its
   creator. */
#include "test.h"

static void break_rule(void *arg) {
    (void)arg;
    tuco_wg wg = {0};
    tuco_wg_done(&wg);
}

static int in_main(void *arg) {
    break_rule(arg);
    return 0;
}

static int in_child_main(void *arg) {
    (void)arg;
    tuco_wg never = {0};
    tuco_wg_add(&never, 1);
    ASSERT_EQ(tuco_go_attr(&(tuco_attr){.name = "culprit"}, break_rule, NULL), 0);
    tuco_wg_wait(&never);
    return 0;
}

static void run_it(void *arg) {
    tuco_run(*(int (**)(void *))arg, NULL);
}

static struct test_child child;

TEST(report_names_main) {
    test_child_run(&child, run_it, &(int (*)(void *)){in_main});
    EXPECT_STATUS(&child, 2);
    ASSERT_MATCH(child.text, "^(panic|fatal error): sync: negative WaitGroup counter$");
    ASSERT_MATCH(child.text, "^goroutine 1 \\[running\\].*:$");
    ASSERT_EQ(test_occurrences(child.text, "negative WaitGroup counter"), 1);
}

TEST(report_names_child) {
    test_child_run(&child, run_it, &(int (*)(void *)){in_child_main});
    EXPECT_STATUS(&child, 2);
    ASSERT_MATCH(child.text, "^goroutine 2 \\[running\\].*:$");
    ASSERT_HAS(child.text, "culprit");
    ASSERT_MATCH(child.text, "^created by .* in goroutine 1$");
}
