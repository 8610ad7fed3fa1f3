/* SPDX-License-Identifier: MIT */
/* not under qemu */
/* Proves: a run that leaves no goroutine behind leaves no thread, descriptor, mapping or
   memory either. */
#include "test.h"

#include <string.h>

#define CYCLES         TEST_SIZE(100, 20)
#define SPAWNS         200
#define GROWTH_MAX_KIB TEST_SIZE(2 * 1024, 256 * 1024)

static void touch_stack(void *arg) {
    volatile char room[32 * 1024];
    memset((void *)room, 1, sizeof(room));
    tuco_yield();
    (void)arg;
}

static int run_main(void *arg) {
    (void)arg;
    tuco_wg wg = {0};
    for (int i = 0; i < SPAWNS; i++) {
        ASSERT_EQ(tuco_wg_go(&wg, touch_stack, NULL), 0);
    }
    tuco_wg_wait(&wg);
    test_await_alone();
    return 0;
}

TEST(run_frees_everything) {
    int threads = test_count_threads();
    int fds = test_count_fds();
    RUN(run_main); // the C library keeps thread stacks and arenas for the next run
    RUN(run_main);
    long resident = test_resident_kib();
    int mappings = test_count_mappings();
    for (int i = 0; i < CYCLES; i++) {
        RUN(run_main);
    }
    EXPECT_THREADS(threads);
    ASSERT_EQ(test_count_fds(), fds);
    ASSERT_LE(test_resident_kib() - resident, GROWTH_MAX_KIB);
    if (!TEST_SANITIZED) { // sanitizers keep their own mappings for each thread and fiber
        ASSERT_LE(test_count_mappings(), mappings + 20);
    }
}
