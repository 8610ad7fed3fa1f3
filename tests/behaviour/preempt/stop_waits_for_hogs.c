/* SPDX-License-Identifier: MIT */
/* Proves: tuco_stop waits for goroutines that compute, interrupted or running; after its
   deadline the runtime still works, and in the end no thread is left. */
/* fixed procs */
#include "hogs.h"

#include <errno.h>

#define HOGS 3

static atomic_int running;
static atomic_int released;
static atomic_int ended;
static atomic_int marked;

static void hog(void *arg) {
    (void)arg;
    atomic_fetch_add(&running, 1);
    compute_until(&released, 1);
    atomic_fetch_add(&ended, 1);
}

static void mark(void *arg) {
    (void)arg;
    atomic_store(&marked, 1);
}

static void stop_beside_hogs(void) {
    atomic_store(&running, 0);
    atomic_store(&released, 0);
    atomic_store(&ended, 0);
    atomic_store(&marked, 0);
    ASSERT_EQ(tuco_start(), 0);
    for (int i = 0; i < HOGS; i++) {
        ASSERT_EQ(tuco_go(hog, NULL), 0);
    }
    test_spin(&running, HOGS);
    ASSERT_EQ(tuco_stop(tuco_deadline(20 * TUCO_MILLISECOND)), -ETIMEDOUT);
    ASSERT_EQ(tuco_go(mark, NULL), 0);
    test_spin(&marked, 1);
    ASSERT_EQ(atomic_load(&ended), 0);
    atomic_store(&released, 1);
    ASSERT_EQ(tuco_stop(TUCO_NEVER), 0);
    ASSERT_EQ(atomic_load(&ended), HOGS);
}

TEST(stop_waits_for_hogs) {
    hogs_use(1);
    int threads = test_count_threads();
    for (int i = 0; i < 3; i++) {
        stop_beside_hogs();
        EXPECT_THREADS(threads);
    }
}
