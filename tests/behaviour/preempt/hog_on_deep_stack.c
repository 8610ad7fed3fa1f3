/* SPDX-License-Identifier: MIT */
/* Proves: a goroutine is interrupted safely wherever its stack pointer is: the signal
   frame is not on its stack, so that little free stack is enough. */
/* fixed procs */
#include "hogs.h"

#include <string.h>

#define STACK   ((size_t)64 * 1024)
#define FRAME   256
#define GUARD   4096                  /* at the low end */
#define RESERVE TEST_SIZE(1600, 2400) /* hog() is called with a part of it used */

static tuco_wg wg;

/* Recurses until little stack is left, and computes there; no frame may change. */
__attribute__((noinline)) static void descend(uintptr_t bottom) {
    volatile char frame[FRAME];
    memset((char *)frame, (char)(uintptr_t)frame, sizeof(frame));
    if ((uintptr_t)frame - bottom > RESERVE) {
        descend(bottom);
    } else {
        compute_for_turns(HOG_TURNS);
    }
    for (int i = 0; i < FRAME; i++) {
        ASSERT_EQ(frame[i], (char)(uintptr_t)frame);
    }
}

static void hog(void *arg) {
    (void)arg;
    uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    descend(here - (STACK - GUARD));
    tuco_wg_done(&wg);
}

static int run_main(void *arg) {
    (void)arg;
    tuco_attr attr = {.name = "deep", .stack_size = STACK};
    turns_start();
    tuco_wg_add(&wg, 1);
    ASSERT_EQ(tuco_go_attr(&attr, hog, NULL), 0);
    tuco_wg_wait(&wg);
    turns_stop();
    return 0;
}

TEST(hog_on_deep_stack) {
    hogs_use(1);
    RUN(run_main);
}
