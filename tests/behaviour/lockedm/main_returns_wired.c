/* SPDX-License-Identifier: MIT */
/* Proves: a main goroutine that is wired from its first line on never leaves the thread
   that called tuco_run(), and its return while it is wired ends the runtime as usual. */
#include "threads.h"

#define ROUNDS   1000
#define VISITORS 4

static struct visitors visitors;

static int run_main(void *arg) {
    (void)arg;
    tuco_lock_thread();
    ASSERT(on_first_thread());
    atomic_store(&visitors.thread, gettid());
    visitors_start(&visitors, VISITORS);
    for (int i = 0; i < ROUNDS; i++) {
        tuco_yield();
        ASSERT(on_first_thread());
    }
    ASSERT_EQ(atomic_load(&visitors.visits), 0);
    visitors_stop(&visitors);
    ASSERT(on_first_thread());
    return 3;
}

TEST(main_returns_wired) {
    int threads = test_count_threads();
    for (int i = 0; i < 3; i++) {
        ASSERT_EQ(tuco_run(run_main, NULL), 3);
        ASSERT(on_first_thread());
        EXPECT_THREADS(threads);
    }
}
