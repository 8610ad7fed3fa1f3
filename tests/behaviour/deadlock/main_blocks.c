/* SPDX-License-Identifier: MIT */
/* Proves: a main goroutine that blocks when no goroutine is left to wake it is reported
   as a deadlock, with exit status 2. */
#include "test.h"

static tuco_wg never;

static int block_main(void *arg) {
    (void)arg;
    tuco_wg_add(&never, 1);
    tuco_wg_wait(&never);
    return 0;
}

/* Other goroutines have run and ended before. */
static int work_then_block_main(void *arg) {
    tuco_wg wg = {0};
    for (int i = 0; i < 1000; i++) {
        ASSERT_EQ(tuco_wg_go(&wg, test_return_at_once, NULL), 0);
    }
    tuco_wg_wait(&wg);
    return block_main(arg);
}

static void run_it(void *arg) {
    (void)arg;
    tuco_run(block_main, NULL);
}

TEST(report_comes_first) {
    static struct test_child child;
    test_child_run(&child, run_it, NULL);
    EXPECT_STATUS(&child, 2);
    ASSERT_MATCH(child.text, "^fatal error: all goroutines are asleep - deadlock!$");
    ASSERT_MATCH(child.text, "^goroutine 1 \\[sync\\.WaitGroup\\.Wait");
    ASSERT_EQ(test_occurrences(child.text, "fatal error"), 1);
    ASSERT_EQ(test_dump_entries(child.text), 1);
}

TEST(main_blocks_after_work) {
    RUN_DIES(work_then_block_main, "fatal error: all goroutines are asleep - deadlock!");
}
