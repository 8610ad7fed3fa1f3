/* SPDX-License-Identifier: MIT */
/* Proves: dumps are safe and whole while other goroutines are spawned, run and end. */
#include "test.h"

#define DUMPS   TEST_SIZE(200, 20)
#define RUNNERS 4

static tuco_wg wg;
static tuco_wg churn;
static atomic_int over;

static void yield_once(void *arg) {
    (void)arg;
    tuco_yield();
}

static void keep_spawning(void *arg) {
    (void)arg;
    while (atomic_load(&over) == 0) {
        for (int i = 0; i < 10; i++) {
            ASSERT_EQ(tuco_wg_go(&churn, yield_once, NULL), 0);
        }
        tuco_yield();
    }
}

static int run_main(void *arg) {
    (void)arg;
    for (int i = 0; i < RUNNERS; i++) {
        ASSERT_EQ(tuco_wg_go(&wg, keep_spawning, NULL), 0);
    }
    for (int i = 0; i < DUMPS; i++) {
        const char *dump = test_dump();
        ASSERT_EQ(test_occurrences(dump, "goroutine 1 [running]"), 1);
        tuco_yield();
    }
    atomic_store(&over, 1);
    tuco_wg_wait(&wg);
    tuco_wg_wait(&churn);
    return 0;
}

TEST(under_load) {
    RUN(run_main);
}
