/* SPDX-License-Identifier: MIT */
/* Proves: one producer's bursts of goroutines all run, and later bursts take no more
   memory. */
#include "test.h"

#define BURST          TEST_SIZE(20000, 800)
#define BURSTS         TEST_SIZE(50, 10)
#define GROWTH_MAX_KIB TEST_SIZE(8 * 1024, 256 * 1024)

static tuco_wg wg;
static atomic_int ran;

static void count(void *arg) {
    (void)arg;
    atomic_fetch_add(&ran, 1);
}

static void burst(void) {
    for (int i = 0; i < BURST; i++) {
        ASSERT_EQ(tuco_wg_go(&wg, count, NULL), 0);
    }
    tuco_wg_wait(&wg);
}

static int run_main(void *arg) {
    (void)arg;
    burst();
    burst(); // once the first has ended entirely, this one shows what reuse costs
    long before = test_resident_kib();
    for (int i = 2; i < BURSTS; i++) {
        burst();
    }
    ASSERT_EQ(atomic_load(&ran), BURST * BURSTS);
    ASSERT_LE(test_resident_kib() - before, GROWTH_MAX_KIB);
    return 0;
}

TEST(spawn_burst) {
    RUN(run_main);
}
