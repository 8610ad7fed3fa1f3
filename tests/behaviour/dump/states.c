/* SPDX-License-Identifier: MIT */
/* Proves: the dump shows for each goroutine whether it is running, runnable or waiting,
   and what it waits for, with an empty line between two of them. */
/* fixed procs */
#include "gate.h"

static tuco_wg wg;

static int run_main(void *arg) {
    (void)arg;
    tuco_wg_add(&gate, 1);
    ASSERT_EQ(tuco_wg_go(&wg, gate_wait, NULL), 0);
    test_await(&gate_reached, 1);
    // With one processor it does not run before main blocks.
    ASSERT_EQ(tuco_wg_go(&wg, test_return_at_once, NULL), 0);
    const char *dump = test_dump();
    ASSERT_MATCH(dump, "^goroutine 1 \\[running\\].*:$");
    ASSERT_MATCH(dump, "^goroutine 2 \\[sync\\.WaitGroup\\.Wait\\].*:$");
    ASSERT_MATCH(dump, "^goroutine 3 \\[runnable\\].*:$");
    ASSERT_MATCH(dump, "^created by .* in goroutine 1$");
    ASSERT_EQ(test_occurrences(dump, "\n\ngoroutine "), 2);
    tuco_wg_done(&gate);
    tuco_wg_wait(&wg);
    return 0;
}

TEST(states) {
    test_setenv("TUCOPROCS", "1");
    RUN(run_main);
}
