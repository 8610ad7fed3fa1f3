/* SPDX-License-Identifier: MIT */
/* Proves: on a thread that is not the runtime's, locking and unlocking do nothing, with
   the runtime and without. */
#include "threads.h"

static void lock_and_work(void *arg) {
    (void)arg;
    tuco_wg wg = {0};
    int tid = gettid();
    tuco_unlock_thread();
    tuco_lock_thread();
    tuco_lock_thread();
    ASSERT_EQ(tuco_wg_go(&wg, test_return_at_once, NULL), 0);
    tuco_wg_wait(&wg);
    ASSERT_EQ(gettid(), tid);
    tuco_unlock_thread();
}

static void only_lock(void *arg) {
    (void)arg;
    tuco_unlock_thread();
    tuco_lock_thread();
}

TEST(beside_the_runtime) {
    int threads = test_count_threads();
    ASSERT_EQ(tuco_start(), 0);
    test_threads_run(4, lock_and_work, NULL); // each ends with one lock held
    lock_and_work(NULL);
    ASSERT_EQ(tuco_stop(TUCO_NEVER), 0);
    EXPECT_THREADS(threads);
}

TEST(without_runtime) {
    int threads = test_count_threads();
    test_threads_run(4, only_lock, NULL);
    only_lock(NULL);
    EXPECT_THREADS(threads);
}
