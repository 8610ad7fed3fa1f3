/* SPDX-License-Identifier: MIT */
/* Proves: at every depth up to 1023, pointers into the frames above stay valid across
   yields. */
#include "test.h"

#define DEPTH_MAX  1023
#define GOROUTINES 4

static tuco_wg wg;

struct frame {
    struct frame *above;
    int depth;
    uintptr_t stamp;
};

static uintptr_t stamp_of(const struct frame *f) {
    return (uintptr_t)f * 31 + (uintptr_t)f->depth;
}

static void check_all(const struct frame *f) {
    for (int depth = f->depth; f != NULL; f = f->above, depth--) {
        ASSERT_EQ(f->depth, depth);
        ASSERT_EQ(f->stamp, stamp_of(f));
    }
}

__attribute__((noinline)) static void descend(struct frame *above, int depth,
                                              int bottom) {
    struct frame mine = {.above = above, .depth = depth};
    mine.stamp = stamp_of(&mine);
    if (depth == bottom) {
        check_all(&mine);
        tuco_yield();
        check_all(&mine);
        return;
    }
    descend(&mine, depth + 1, bottom);
    ASSERT_EQ(mine.stamp, stamp_of(&mine));
}

static void every_depth(void *arg) {
    (void)arg;
    for (int bottom = 0; bottom <= DEPTH_MAX; bottom++) {
        descend(NULL, 0, bottom);
    }
}

static int run_main(void *arg) {
    for (int i = 0; i < GOROUTINES; i++) {
        ASSERT_EQ(tuco_wg_go(&wg, every_depth, NULL), 0);
    }
    every_depth(arg); // the main goroutine's stack as well
    tuco_wg_wait(&wg);
    return 0;
}

TEST(deep_frames_are_intact) {
    RUN(run_main);
}
