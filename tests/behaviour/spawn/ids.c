/* SPDX-License-Identifier: MIT */
/* Proves: main is goroutine 1, no number is used twice among 100000, a foreign thread has
   0. */
#include "test.h"

#include <stdlib.h>

#define COUNT TEST_SIZE(100000, 4000)
#define BATCH 1000

static tuco_wg wg;
static uint64_t *ids;

static void record(void *arg) {
    uint64_t *slot = arg;
    *slot = tuco_id();
    tuco_yield();
    ASSERT_EQ(*slot, tuco_id());
}

static int compare(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a;
    uint64_t y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void foreign(void *arg) {
    (void)arg;
    ASSERT_EQ(tuco_id(), 0);
}

static int run_main(void *arg) {
    (void)arg;
    ASSERT_EQ(tuco_id(), 1);
    ids[0] = tuco_id();
    for (int i = 1; i < COUNT; i++) {
        ASSERT_EQ(tuco_wg_go(&wg, record, &ids[i]), 0);
        if (i % BATCH == 0) {
            tuco_wg_wait(&wg);
        }
    }
    tuco_wg_wait(&wg);
    ASSERT_EQ(tuco_id(), 1);
    test_threads_run(2, foreign, NULL);
    qsort(ids, COUNT, sizeof(*ids), compare);
    ASSERT_EQ(ids[0], 1);
    for (int i = 1; i < COUNT; i++) {
        ASSERT_LT(ids[i - 1], ids[i]);
    }
    return 0;
}

TEST(ids) {
    ids = calloc(COUNT, sizeof(*ids));
    ASSERT_EQ(tuco_id(), 0);
    RUN(run_main);
    ASSERT_EQ(tuco_id(), 0);
    free(ids);
}
