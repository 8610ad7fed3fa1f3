/* SPDX-License-Identifier: MIT */
/* Proves: the last tuco_wg_done never touches the wait group after the waiter can have
   returned. */
#include "test.h"

#include <stdlib.h>
#include <string.h>

#define ROUNDS TEST_SIZE(5000, 1000)

static void done(void *arg) {
    tuco_wg_done(arg);
}

/* Freed at once, so that AddressSanitizer sees a late touch; overwritten first, so that
   the waker would find rubbish in builds without it. */
static void wait_and_free(int waiters) {
    tuco_wg *wg = calloc(1, sizeof(*wg));
    tuco_wg_add(wg, waiters);
    for (int i = 0; i < waiters; i++) {
        ASSERT_EQ(tuco_go(done, wg), 0);
    }
    tuco_wg_wait(wg);
    memset(wg, 0xff, sizeof(*wg));
    free(wg);
}

/* The function returns while the last waker may still be in tuco_wg_done; the frame of
   the next call, with its own wait group, has the same address. */
__attribute__((noinline)) static void wait_in_frame(void) {
    tuco_wg wg = {0};
    tuco_wg_add(&wg, 2);
    ASSERT_EQ(tuco_go(done, &wg), 0);
    ASSERT_EQ(tuco_go(done, &wg), 0);
    tuco_wg_wait(&wg);
    memset(&wg, 0xff, sizeof(wg));
}

static int run_main(void *arg) {
    (void)arg;
    for (int i = 0; i < ROUNDS; i++) {
        wait_and_free(1 + i % 3);
        wait_in_frame();
    }
    return 0;
}

TEST(on_a_stack_that_is_left) {
    RUN(run_main);
}
