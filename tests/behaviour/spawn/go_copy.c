/* SPDX-License-Identifier: MIT */
/* Proves: tuco_go_copy gives the goroutine its own, aligned copy of any size up to half a
   stack. */
#include "test.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define STACK_BYTES ((size_t)256 * 1024)
#define HALF_BYTES  (STACK_BYTES / 2)

static tuco_wg wg;
static size_t current_size;

static void check(void *arg) {
    const unsigned char *copy = arg;
    ASSERT_EQ((uintptr_t)copy % _Alignof(max_align_t), 0);
    for (size_t i = 0; i < current_size; i++) {
        ASSERT_EQ(copy[i], (unsigned char)(i * 7 + current_size));
    }
    memset(arg, 0xee, current_size); // the copy is the goroutine's to write
    tuco_yield();
    for (size_t i = 0; i < current_size; i++) {
        ASSERT_EQ(copy[i], 0xee);
    }
    tuco_wg_done(&wg);
}

static void spawn_with_copy(size_t size) {
    unsigned char *source = malloc(HALF_BYTES);
    for (size_t i = 0; i < size; i++) {
        source[i] = (unsigned char)(i * 7 + size);
    }
    current_size = size;
    tuco_wg_add(&wg, 1);
    ASSERT_EQ(tuco_go_copy(check, source, size), 0);
    memset(source, 0xff, HALF_BYTES); // already independent of its source
    free(source);
    tuco_wg_wait(&wg);
}

static int run_main(void *arg) {
    (void)arg;
    static const size_t sizes[] = {
        0,         1, 7, 8, 9, 16, 63, 64, 65, 96, 128, 255, 1000, 4096, HALF_BYTES - 64,
        HALF_BYTES};
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        spawn_with_copy(sizes[i]);
    }
    static const char big[HALF_BYTES + 1];
    ASSERT_EQ(tuco_go_copy(check, big, HALF_BYTES + 1), -EINVAL);
    return 0;
}

TEST(go_copy) {
    test_setenv("TUCOSTACK", "256K");
    RUN(run_main);
}
