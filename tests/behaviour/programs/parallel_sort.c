/* SPDX-License-Identifier: MIT */
/* Proves: a quicksort that forks a goroutine for each half sorts as the sequential one does
   (WP-11). */
#include "chans.h"

#include <stdlib.h>
#include <string.h>

#define NUMBERS TEST_SIZE(1000000, 50000)
#define CUTOFF  500

struct part {
    uint32_t *numbers;
    int count;
    tuco_chan *done; /* without values: one event per part; its own reference */
};

static int compare(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a;
    uint32_t y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static int partition(uint32_t *numbers, int count) {
    uint32_t pivot = numbers[count / 2];
    int low = 0;
    int high = count - 1;
    while (low <= high) {
        while (numbers[low] < pivot) {
            low++;
        }
        while (numbers[high] > pivot) {
            high--;
        }
        if (low <= high) {
            uint32_t kept = numbers[low];
            numbers[low++] = numbers[high];
            numbers[high--] = kept;
        }
    }
    return low;
}

static void sort_part(void *arg) {
    struct part *part = arg;
    if (part->count <= CUTOFF) {
        qsort(part->numbers, (size_t)part->count, sizeof(uint32_t), compare);
    } else {
        tuco_chan *done = tuco_chan_make(0, 2);
        ASSERT_EQ(done != NULL ? 0 : -ENOMEM, 0);
        int low = partition(part->numbers, part->count);
        struct part left = {part->numbers, low, tuco_chan_ref(done)};
        struct part right = {part->numbers + low, part->count - low, tuco_chan_ref(done)};
        ASSERT_EQ(tuco_go_copy(sort_part, &left, sizeof(left)), 0);
        ASSERT_EQ(tuco_go_copy(sort_part, &right, sizeof(right)), 0);
        ASSERT_EQ(tuco_chan_recv(done, NULL), 0);
        ASSERT_EQ(tuco_chan_recv(done, NULL), 0);
        tuco_chan_unref(done);
    }
    ASSERT_EQ(tuco_chan_send(part->done, NULL), 0);
    tuco_chan_unref(part->done);
}

static int run_main(void *arg) {
    (void)arg;
    size_t bytes = (size_t)NUMBERS * sizeof(uint32_t);
    uint32_t *numbers = malloc(bytes);
    uint32_t *expected = malloc(bytes);
    uint64_t random = test_seed() | 1;
    for (int i = 0; i < NUMBERS; i++) {
        random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
        numbers[i] = expected[i] = (uint32_t)(random >> 40);
    }
    tuco_chan *done = tuco_chan_make(0, 1);
    ASSERT_EQ(done != NULL ? 0 : -ENOMEM, 0);
    sort_part(&(struct part){numbers, NUMBERS, tuco_chan_ref(done)});
    qsort(expected, NUMBERS, sizeof(uint32_t), compare);
    ASSERT_EQ(memcmp(numbers, expected, bytes), 0);
    tuco_chan_unref(done);
    free(numbers);
    free(expected);
    test_await_alone();
    return 0;
}

TEST(parallel_sort) {
    RUN(run_main);
}
