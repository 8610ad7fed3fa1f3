/* SPDX-License-Identifier: MIT */
/* Proves: each goroutine has its own errno, and no call of the library changes it. */
#include "test.h"

#include <errno.h>

#define COUNT  32
#define ROUNDS 200

static tuco_wg wg;
static tuco_wg gates[ROUNDS];

/* Out of line: a compiler may keep the address of errno across a call that changes
   threads. */
__attribute__((noinline)) static int get_errno(void) {
    return errno;
}
__attribute__((noinline)) static void set_errno(int value) {
    errno = value;
}

static void keep_mine(void *arg) {
    int mine = 1 + (int)(intptr_t)arg;
    for (int i = 0; i < ROUNDS; i++) {
        set_errno(mine);
        tuco_yield();
        ASSERT_EQ(get_errno(), mine);
        tuco_wg_done(&gates[i]);
        ASSERT_EQ(get_errno(), mine);
        tuco_wg_wait(&gates[i]);
        ASSERT_EQ(get_errno(), mine);
    }
}

static int run_main(void *arg) {
    (void)arg;
    set_errno(EXDEV);
    for (int i = 0; i < ROUNDS; i++) {
        tuco_wg_add(&gates[i], COUNT);
    }
    for (intptr_t i = 0; i < COUNT; i++) {
        ASSERT_EQ(tuco_wg_go(&wg, keep_mine, (void *)i), 0);
        ASSERT_EQ(get_errno(), EXDEV);
    }
    tuco_wg_wait(&wg);
    ASSERT_EQ(get_errno(), EXDEV);
    return 0;
}

TEST(errno_is_per_goroutine) {
    RUN(run_main);
}

/* Failing calls report by their result only. */
TEST(errno_survives_failing_calls) {
    set_errno(EXDEV);
    ASSERT_EQ(tuco_go(keep_mine, NULL), -ESRCH);
    ASSERT_EQ(tuco_stop(0), -EINVAL);
    ASSERT_EQ(get_errno(), EXDEV);
}
