/* SPDX-License-Identifier: MIT */
/* Proves: a spawn on the smallest stack works with 1024 processors for which no thread
   can be started. */
/* fixed procs */
/*
 * Bug. If no thread could be started, the spawner set its processor aside and, because
 * the goroutine was still queued, woke another processor, whose thread could not be
 * started either. Each attempt was a call inside the previous one: the depth was the
 * number of processors, on the stack of the spawner.
 *
 * Fix. After one failure the spawner sets all processors without a thread aside at once,
 * until sysmon tries again. A waker wakes the next processor in a loop.
 *
 * Fails without it: one thread is allowed and main has it, so that all 1023 others fail
 * inside the first spawn that wakes a processor, and the frames need more than 16 KiB.
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
