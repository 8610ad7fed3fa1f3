/* SPDX-License-Identifier: MIT */
/* Proves: goroutines that are interrupted anywhere in qsort() sort correctly, and a
   sleeper beside them keeps waking. */
/* fixed procs */
/* slow */
#include "hogs.h"

#include <stdlib.h>

#define HOGS  4
#define COUNT 20000

static int compare(const void *left, const void *right) {
    uint32_t a = *(const uint32_t *)left;
    uint32_t b = *(const uint32_t *)right;
    return (a > b) - (a < b);
}

/* The sum and the order together show that no number was lost. */
static void sort_one(uint32_t *numbers, uint32_t seed) {
    uint64_t before = 0;
    uint64_t after = 0;
    for (int i = 0; i < COUNT; i++) {
        seed = seed * 1664525 + 1013904223;
        numbers[i] = seed;
        before += seed;
    }
    qsort(numbers, COUNT, sizeof(numbers[0]), compare);
    for (int i = 0; i < COUNT; i++) {
        after += numbers[i];
        ASSERT(i == 0 || numbers[i - 1] <= numbers[i]);
    }
    ASSERT_EQ(after, before);
}

static void sort_on(void *arg) {
    uint32_t *numbers = malloc(COUNT * sizeof(*numbers));
    ASSERT(numbers != NULL);
    for (uint32_t i = 0; hog_clock() < hogs_end; i++) {
        sort_one(numbers, i * HOGS + (uint32_t)(intptr_t)arg);
    }
    free(numbers);
}

static int run_main(void *arg) {
    (void)arg;
    hogs_run_beside_sleeper(sort_on, HOGS);
    return 0;
}

TEST(hog_in_qsort) {
    hogs_use(1);
    RUN(run_main);
}
