/* SPDX-License-Identifier: MIT */
/* Proves: a goroutine that ends wired to the thread that called tuco_run() puts that
   thread to sleep: all else goes on elsewhere, and tuco_run() returns on it in the end. */
/* fixed procs */
#include "threads.h"

#define ROUNDS 500

static atomic_int ended;

static void end_on_first_thread(void *arg) {
    (void)arg;
    if (on_first_thread()) {
        tuco_lock_thread();
        atomic_store(&ended, 1);
    }
}

static void expect_elsewhere(void *arg) {
    (void)arg;
    ASSERT(!on_first_thread());
    tuco_yield();
    ASSERT(!on_first_thread());
}

static int run_main(void *arg) {
    tuco_wg wg = {0};
    atomic_store(&ended, 0);
    while (atomic_load(&ended) == 0) {
        ASSERT_EQ(tuco_wg_go(&wg, end_on_first_thread, NULL), 0);
        tuco_wg_wait(&wg);
    }
    for (int i = 0; i < ROUNDS; i++) {
        expect_elsewhere(NULL);
        ASSERT_EQ(tuco_wg_go(&wg, expect_elsewhere, NULL), 0);
        tuco_wg_wait(&wg);
    }
    ASSERT(thread_is_there(getpid()));
    if (arg != NULL) {
        tuco_lock_thread(); // the end of main is not an end of its thread
    }
    return 7;
}

TEST(exit_on_first_thread) {
    test_setenv("TUCOPROCS", "1");
    int threads = test_count_threads();
    for (int i = 0; i < 3; i++) {
        ASSERT_EQ(tuco_run(run_main, NULL), 7);
        ASSERT(on_first_thread());
        EXPECT_THREADS(threads);
    }
}

TEST(main_returns_wired_to_another) {
    test_setenv("TUCOPROCS", "1");
    int threads = test_count_threads();
    ASSERT_EQ(tuco_run(run_main, &ended), 7);
    EXPECT_THREADS(threads);
}
