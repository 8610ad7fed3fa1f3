/* SPDX-License-Identifier: MIT */
/* Proves: tuco_start and tuco_stop can be repeated: all goroutines end, and no thread or
   descriptor is left. */
#include "test.h"

#define CYCLES TEST_SIZE(200, 40)
#define SPAWNS 20

static atomic_int ran;

static void child(void *arg) {
    (void)arg;
    tuco_yield();
    atomic_fetch_add(&ran, 1);
}

static void parent(void *arg) {
    ASSERT_EQ(tuco_go(child, arg), 0);
    atomic_fetch_add(&ran, 1);
}

TEST(start_stop) {
    int threads = test_count_threads();
    int fds = test_count_fds();
    for (int i = 0; i < CYCLES; i++) {
        ASSERT_EQ(tuco_start(), 0);
        for (int k = 0; k < SPAWNS; k++) {
            ASSERT_EQ(tuco_go(parent, NULL), 0);
        }
        ASSERT_EQ(tuco_stop(TUCO_NEVER), 0); // waits for the children too
        ASSERT_EQ(atomic_load(&ran), (i + 1) * 2 * SPAWNS);
        EXPECT_THREADS(threads);
        ASSERT_EQ(test_count_fds(), fds);
        ASSERT_EQ(tuco_count(), 0);
    }
}

/* Without a goroutine in between: threads that are still starting are joined as well. */
TEST(start_stop_at_once) {
    int threads = test_count_threads();
    for (int i = 0; i < CYCLES; i++) {
        ASSERT_EQ(tuco_start(), 0);
        ASSERT_EQ(tuco_stop(TUCO_NEVER), 0);
    }
    EXPECT_THREADS(threads);
}
