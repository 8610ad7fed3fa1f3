/* SPDX-License-Identifier: MIT */
/* Proves: goroutines that are wired at the same time have a thread each. The thread of a
   goroutine that ends wired ends too, and no thread is left when the runtime has
   stopped. */
#include "threads.h"

#define COUNT TEST_SIZE(200, 50)

static tuco_wg arrived;
static tuco_wg gate;
static atomic_int tids[COUNT];

static void stand(void *arg) {
    int i = (int)(intptr_t)arg;
    tuco_lock_thread();
    atomic_store(&tids[i], gettid());
    tuco_wg_done(&arrived);
    tuco_wg_wait(&gate);
    ASSERT_EQ(gettid(), atomic_load(&tids[i]));
    if (i % 2 == 0) {
        tuco_unlock_thread();
    }
}

static void expect_distinct(void) {
    for (int i = 0; i < COUNT; i++) {
        for (int k = 0; k < i; k++) {
            ASSERT_NE(atomic_load(&tids[i]), atomic_load(&tids[k]));
        }
    }
}

/* Under tuco_start() no goroutine is on the first thread. */
TEST(each_has_its_own) {
    int threads = test_count_threads();
    for (int cycle = 0; cycle < 3; cycle++) {
        ASSERT_EQ(tuco_start(), 0);
        tuco_wg_add(&arrived, COUNT);
        tuco_wg_add(&gate, 1);
        for (intptr_t i = 0; i < COUNT; i++) {
            ASSERT_EQ(tuco_go(stand, (void *)i), 0);
        }
        tuco_wg_wait(&arrived);
        expect_distinct();
        ASSERT_GE(test_count_threads(), threads + COUNT);
        tuco_wg_done(&gate);
        for (int i = 1; i < COUNT; i += 2) {
            await_thread_gone(atomic_load(&tids[i]));
        }
        ASSERT_EQ(tuco_stop(TUCO_NEVER), 0);
        EXPECT_THREADS(threads);
    }
}
