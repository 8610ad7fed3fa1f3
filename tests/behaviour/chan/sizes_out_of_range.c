/* SPDX-License-Identifier: MIT */
/* Proves: tuco_chan_make() returns NULL for a size that is too large, and never makes a
   channel smaller than requested (CH-08). */
#include "chans.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/resource.h>

static void expect_refused(size_t elem_size, size_t capacity) {
    tuco_chan *c = tuco_chan_make(elem_size, capacity);
    if (c != NULL) {
        test_fail(__FILE__, __LINE__, "made %zu elements of %zu bytes", capacity,
                  elem_size);
    }
}

TEST(sizes_out_of_range) {
    expect_refused(8, (size_t)1 << 60);       // one more than a pointer can span
    expect_refused(8, (size_t)1 << 61);       // the product is 0
    expect_refused(8, ((size_t)1 << 61) + 1); // the product is 8
    expect_refused(16, ((size_t)1 << 60) + 1);
    expect_refused((size_t)1 << 32, (size_t)1 << 32);
    expect_refused(8, (size_t)-1);
    for (size_t room = 0; room < 1024; room++) {
        expect_refused(1, SIZE_MAX - room); // with the header it wraps around
    }
    expect_refused(1, (size_t)INT64_MAX);
    expect_refused(SIZE_MAX, 1);
    expect_refused(SIZE_MAX, SIZE_MAX);
}

/* Sizes that fit the type, but not the memory of the machine. */
static void expect_no_memory(void *arg) {
    (void)arg;
    expect_refused(8, (size_t)1 << 59);
    struct rlimit limit = {.rlim_cur = (rlim_t)1 << 31, .rlim_max = (rlim_t)1 << 31};
    ASSERT_EQ(setrlimit(RLIMIT_AS, &limit), 0);
    void *volatile probe = malloc((size_t)1 << 32);
    if (probe != NULL) {
        free(probe);
        return; // an emulator does not keep to the limit
    }
    expect_refused(1, (size_t)1 << 32);
    expect_refused(1 << 20, 1 << 12);
    tuco_chan *c = CHAN(int, 1);
    test_send(c, 1);
    ASSERT_EQ(test_recv(c), 1);
    tuco_chan_unref(c);
}

/* In a child: the count of blocks assumes that only planned allocations fail. */
TEST(no_memory) {
    static struct test_child child;
    if (TEST_SANITIZED) {
        SKIP("A sanitizer's allocator ends the process.");
    }
    test_child_run(&child, expect_no_memory, NULL);
    EXPECT_STATUS(&child, 0);
}

/* Without a buffer, an element may have any size up to UINT32_MAX. */
TEST(large_element_without_buffer) {
    ASSERT(tuco_chan_make((size_t)UINT32_MAX + 1, 0) == NULL);
    tuco_chan *c = test_chan_make(__FILE__, __LINE__, UINT32_MAX, 0);
    ASSERT_EQ(tuco_chan_try_recv(c, NULL), -EAGAIN);
    tuco_chan_unref(c);
}
