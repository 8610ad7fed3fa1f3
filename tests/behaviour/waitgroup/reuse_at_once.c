/* SPDX-License-Identifier: MIT */
/* Proves: waiters that were released by a zero counter return, though the group is used
   again at once. */
/* fixed procs */

/*
 * Go calls an add that finds such waiters misuse and ends the process. Here the
 * instruction that sets the counter to zero also takes the waiters, so there is nothing
 * to detect.
 */
#include "waiting.h"

#define WAITERS 50
#define ROUNDS  TEST_SIZE(100, 20)

static tuco_wg wg;
static tuco_wg end;
static atomic_int passed;

static void wait_here(void *arg) {
    (void)arg;
    tuco_wg_wait(&wg);
    atomic_fetch_add(&passed, 1);
}

static int run_main(void *arg) {
    (void)arg;
    for (int i = 1; i <= ROUNDS; i++) {
        tuco_wg_add(&wg, 1);
        for (int k = 0; k < WAITERS; k++) {
            ASSERT_EQ(tuco_wg_go(&end, wait_here, NULL), 0);
        }
        test_await_waiting("sync.WaitGroup.Wait", WAITERS);
        tuco_wg_done(&wg);
        // no waiter has run: main has the only processor
        tuco_wg_add(&wg, 1);
        tuco_wg_wait(&end);
        ASSERT_EQ(atomic_load(&passed), i * WAITERS);
        tuco_wg_done(&wg);
    }
    return 0;
}

TEST(reuse_at_once) {
    test_setenv("TUCOPROCS", "1");
    RUN(run_main);
}
