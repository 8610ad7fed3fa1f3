/* SPDX-License-Identifier: MIT */
/* Proves: a goroutine that overflows its stack ends the process with one report, which
   names the goroutine, the size of its stack and the setting that raises it. */
#include "reports.h"
#include "test.h"

static tuco_wg never;

static void overflow(void *arg) {
    (void)arg;
    report_recurse(0);
}

static int overflow_main(void *arg) {
    (void)arg;
    tuco_attr attr = {.name = "deep one", .stack_size = *(size_t *)arg};
    tuco_wg_add(&never, 1);
    ASSERT_EQ(tuco_go_attr(&attr, overflow, NULL), 0);
    tuco_wg_wait(&never);
    return 0;
}

static void run_it(void *arg) {
    tuco_run(overflow_main, arg);
}

static struct test_child child;

TEST(goroutine_stack) {
    test_child_run(&child, run_it, &(size_t){(size_t)64 * 1024});
    EXPECT_STATUS(&child, 2);
    ASSERT_HAS(child.text, "goroutine stack exceeds 65536-byte limit");
    ASSERT_MATCH(child.text, "sp=0x[0-9a-f]+ stack=\\[0x[0-9a-f]+, 0x[0-9a-f]+\\]");
    ASSERT_EQ(test_occurrences(child.text, "fatal error: stack overflow"), 1);
    ASSERT_HAS(child.text, "deep one");
    ASSERT_LACKS(child.text, "a frame larger than the guard");
    ASSERT_HAS(child.text, "TUCOSTACK");
    ASSERT_MATCH(child.text, "^goroutine 2 \\[running\\].*:$");
}

TEST(main_goroutine_stack) {
    RUN_DIES(report_overflow_main, "goroutine stack exceeds 262144-byte limit");
}
