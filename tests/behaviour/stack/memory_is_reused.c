/* SPDX-License-Identifier: MIT */
/* Proves: the stacks of ended goroutines serve the next: 8192 deep ones fit in the memory
   of 32. */
#include "test.h"

#include <string.h>

#define BATCHES    256
#define BATCH      32
#define STACK_USE  (128 * 1024)
#define GROWTH_KIB TEST_SIZE(32 * 1024, 256 * 1024) /* of 1 GiB that all together use */

static tuco_wg wg;

static void use_stack(void *arg) {
    (void)arg;
    volatile char room[STACK_USE];
    memset((void *)room, 0x5a, sizeof(room));
    tuco_yield();
    ASSERT_EQ(room[0], 0x5a);
    ASSERT_EQ(room[STACK_USE - 1], 0x5a);
}

static int run_main(void *arg) {
    (void)arg;
    long before = test_resident_kib();
    for (int i = 0; i < BATCHES; i++) {
        for (int k = 0; k < BATCH; k++) {
            ASSERT_EQ(tuco_wg_go(&wg, use_stack, NULL), 0);
        }
        tuco_wg_wait(&wg);
        ASSERT_LE(test_resident_kib() - before, GROWTH_KIB);
    }
    return 0;
}

TEST(memory_is_reused) {
    RUN(run_main);
}
