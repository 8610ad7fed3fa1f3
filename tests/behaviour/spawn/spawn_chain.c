/* SPDX-License-Identifier: MIT */
/* Proves: a chain of a million goroutines, each spawning the next, reuses a few
   descriptors. */
#include "test.h"

#define LENGTH         TEST_SIZE(1000000, 6000)
#define GROWTH_MAX_KIB TEST_SIZE(16 * 1024, 512 * 1024)

static tuco_wg end;
static int remaining;

static void chain_link(void *arg) {
    (void)arg;
    if (--remaining == 0) {
        tuco_wg_done(&end);
        return;
    }
    ASSERT_EQ(tuco_go(chain_link, NULL), 0);
}

static int run_main(void *arg) {
    (void)arg;
    remaining = LENGTH;
    long before = test_resident_kib();
    tuco_wg_add(&end, 1);
    ASSERT_EQ(tuco_go(chain_link, NULL), 0);
    tuco_wg_wait(&end);
    ASSERT_EQ(remaining, 0);
    ASSERT_LE(test_resident_kib() - before, GROWTH_MAX_KIB);
    return 0;
}

TEST(spawn_chain) {
    RUN(run_main);
}
