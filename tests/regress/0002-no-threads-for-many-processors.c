/* SPDX-License-Identifier: MIT */
/* Proves: a spawn on the smallest stack gets along with 1024 processors for which no
   thread can be started. */
/* fixed procs */
/*
 * Bug. A thread that could not be started made the spawner set its processor aside and,
 * because the work was still there, wake another one, for which no thread could be
 * started either. Each try was a call inside the one before: the depth was the number of
 * processors, on the stack of whatever goroutine spawned.
 *
 * Fix. After one failure all processors without a thread are set aside at once, until the
 * monitor tries again, and who has to wake somebody else does so in a loop.
 *
 * Fails without it: one thread is allowed and main has it, so that all 1023 others fail
 * inside of the first spawn that wakes somebody, and the frames need more than 16 KiB.
 */
#include "test.h"

#define SPAWNS 8

static tuco_wg wg;

static void yield_once(void *arg) {
    (void)arg;
    tuco_yield();
    tuco_wg_done(&wg);
}

static void spawn_all(void *arg) {
    (void)arg;
    for (int i = 0; i < SPAWNS; i++) {
        ASSERT_EQ(tuco_go(yield_once, NULL), 0);
    }
}

static int run_main(void *arg) {
    (void)arg;
    tuco_attr small = {.stack_size = (size_t)16 * 1024};
    tuco_wg_add(&wg, SPAWNS);
    ASSERT_EQ(tuco_go_attr(&small, spawn_all, NULL), 0);
    tuco_wg_wait(&wg);
    return 0;
}

TEST(no_threads_for_many_processors) {
    tuco_config config = {.max_threads = 1};
    test_setenv("TUCOPROCS", "1024");
    ASSERT_EQ(tuco_configure(&config), 0);
    RUN(run_main);
}
