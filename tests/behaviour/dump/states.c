/* SPDX-License-Identifier: MIT */
/* Proves: the dump shows for each goroutine whether it is running, runnable or waiting,
   and what it waits for, with an empty line between two of them. */
/* fixed procs */
#include "gate.h"
#include "waiting.h"

static tuco_wg wg;

static int run_main(void *arg) {
    (void)arg;
    tuco_wg_add(&gate, 1);
    ASSERT_EQ(tuco_wg_go(&wg, gate_wait, NULL), 0);
    test_await_waiting("sync.WaitGroup.Wait", 1);
    const char *dump;
    do { // with one processor it does not run before main blocks, or loses its processor
        ASSERT_EQ(tuco_wg_go(&wg, test_return_at_once, NULL), 0);
        dump = test_dump();
    } while (test_dump_entries(dump) != 3 || test_occurrences(dump, "[runnable]") == 0);
    ASSERT_MATCH(dump, "^goroutine 1 \\[running\\].*:$");
    ASSERT_MATCH(dump, "^goroutine 2 \\[sync\\.WaitGroup\\.Wait\\].*:$");
    ASSERT_MATCH(dump, "^goroutine [0-9]+ \\[runnable\\].*:$");
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
