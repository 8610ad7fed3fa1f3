/* SPDX-License-Identifier: MIT */
/* Proves: tuco_go_attr honours the stack size, and refuses invalid attributes. */
#include "test.h"

#include <errno.h>

#define KIB ((size_t)1024)
#define GIB (KIB * KIB * KIB)
#define BIG (2 * KIB * KIB)

static tuco_wg wg;
static atomic_int ran;

static void count(void *arg) {
    (void)arg;
    atomic_fetch_add(&ran, 1);
    tuco_wg_done(&wg);
}

/* Faults on a default stack of 256 KiB. */
static void use_most_of_it(void *arg) {
    volatile char room[BIG - 256 * KIB];
    for (size_t i = sizeof(room); i > 0; i -= KIB) {
        room[i - 1] = 1;
    }
    count(arg);
}

static int attr_go(size_t stack_size, tuco_fn *fn) {
    tuco_attr attr = {.stack_size = stack_size};
    return tuco_go_attr(&attr, fn, NULL);
}

static int run_main(void *arg) {
    (void)arg;
    ASSERT_EQ(attr_go(1, count), -EINVAL);
    ASSERT_EQ(attr_go(16 * KIB - 1, count), -EINVAL);
    ASSERT_EQ(attr_go(64 * GIB + 1, count), -EINVAL);
    ASSERT_EQ(attr_go(SIZE_MAX, count), -EINVAL);
    ASSERT_EQ(tuco_go_attr(&(tuco_attr){.reserved = {[1] = 1}}, count, NULL), -EINVAL);
    tuco_wg_add(&wg, 5);
    ASSERT_EQ(attr_go(16 * KIB, count), 0);
    ASSERT_EQ(attr_go(100 * KIB + 3, count), 0); // rounded up
    ASSERT_EQ(attr_go(BIG, use_most_of_it), 0);
    ASSERT_EQ(attr_go(1 * GIB, count), 0);
    ASSERT_EQ(tuco_go_attr(NULL, count, NULL), 0);
    tuco_wg_wait(&wg);
    ASSERT_EQ(atomic_load(&ran), 5);
    return 0;
}

TEST(go_attr) {
    RUN(run_main);
}
