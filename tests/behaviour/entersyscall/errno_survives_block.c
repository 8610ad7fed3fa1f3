/* SPDX-License-Identifier: MIT */
/* Proves: errno keeps the value of the blocked call when the announcement ends, and when
   an unannounced call returns, whatever thread the goroutine continues on. */
/* fixed procs */
#include "pipes.h"

#include <errno.h>

static tuco_wg wg;
static struct pipe_ends data;
static atomic_int entered;

/* Out of line: a compiler may keep the address of errno across a call that changes
   threads. */
__attribute__((noinline)) static int get_errno(void) {
    return errno;
}
__attribute__((noinline)) static void set_errno(int value) {
    errno = value;
}

static void fail_after_block(void *arg) {
    bool announced = arg != NULL;
    set_errno(EXDEV);
    if (announced) {
        tuco_blocking_enter();
    }
    ASSERT_EQ(get_errno(), EXDEV);
    atomic_store(&entered, 1);
    pipe_take(&data);
    ASSERT_EQ(close(-1), -1);
    if (announced) {
        tuco_blocking_exit();
    }
    ASSERT_EQ(get_errno(), EBADF);
    tuco_yield();
    ASSERT_EQ(get_errno(), EBADF);
}

static int run_main(void *arg) {
    (void)arg;
    for (int i = 0; i < 20; i++) {
        atomic_store(&entered, 0);
        ASSERT_EQ(tuco_wg_go(&wg, fail_after_block, i % 2 == 0 ? &wg : NULL), 0);
        set_errno(ENOTTY);
        test_await(&entered, 1);
        ASSERT_EQ(get_errno(), ENOTTY);
        pipe_put(&data, 1);
        set_errno(ENOTTY);
        tuco_wg_wait(&wg);
        ASSERT_EQ(get_errno(), ENOTTY);
    }
    return 0;
}

TEST(errno_survives_block) {
    use_procs(1);
    pipe_open(&data);
    RUN(run_main);
}
