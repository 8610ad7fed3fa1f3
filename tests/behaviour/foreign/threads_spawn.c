/* SPDX-License-Identifier: MIT */
/* Proves: any number of plain threads may spawn goroutines and wait for them. */
#include "test.h"

#define THREADS 8
#define SPAWNS  TEST_SIZE(500, 200)

static atomic_int ran;

static void count(void *arg) {
    tuco_yield();
    atomic_fetch_add(&ran, 1);
    atomic_fetch_add((atomic_int *)arg, 1);
}

static void spawn_and_wait(void *arg) {
    (void)arg;
    atomic_int mine = 0;
    tuco_wg wg = {0};
    ASSERT_EQ(tuco_id(), 0);
    for (int i = 0; i < SPAWNS; i++) {
        ASSERT_EQ(tuco_wg_go(&wg, count, &mine), 0);
        if (i % 50 == 0) {
            tuco_wg_wait(&wg);
            ASSERT_EQ(atomic_load(&mine), i + 1);
        }
    }
    tuco_wg_wait(&wg);
    ASSERT_EQ(atomic_load(&mine), SPAWNS);
}

TEST(threads_spawn_under_start) {
    ASSERT_EQ(tuco_start(), 0);
    test_threads_run(THREADS, spawn_and_wait, NULL);
    ASSERT_EQ(tuco_stop(TUCO_NEVER), 0);
    ASSERT_EQ(atomic_load(&ran), THREADS * SPAWNS);
}

static int run_main(void *arg) {
    (void)arg;
    struct test_thread threads[THREADS];
    for (int i = 0; i < THREADS; i++) {
        test_thread_start(&threads[i], spawn_and_wait, NULL);
    }
    test_await(&ran, THREADS * SPAWNS);
    for (int i = 0; i < THREADS; i++) {
        test_thread_join(&threads[i]);
    }
    return 0;
}

TEST(threads_spawn_under_run) {
    RUN(run_main);
}
