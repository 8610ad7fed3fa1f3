/* SPDX-License-Identifier: MIT */
/* Proves: a function that uses errno before and after a wait gets the errno of its own
   goroutine both times, though the compiler may cache the address. */
#include <errno.h>
#include "test.h"
#include <errno.h> /* again: the order does not matter */

#define COUNT            32
#define CHECKS           2000
#define CHECKS_MIGRATING 100 /* each waits until the kernel runs another thread */

static int checks;
static tuco_wg wg;
static atomic_int wrong;

/* The function uses the address of errno several times. If the compiler may treat it as
   constant, the loop keeps the address of a previous thread. */
static void check_errno(void *arg) {
    int mine = 1 + (int)(intptr_t)arg;
    for (int i = 0; i < checks; i++) {
        errno = mine;
        tuco_yield();
        if (errno != mine) {
            atomic_fetch_add(&wrong, 1);
        }
    }
}

static int run_main(void *arg) {
    (void)arg;
    for (intptr_t i = 0; i < COUNT; i++) {
        ASSERT_EQ(tuco_wg_go(&wg, check_errno, (void *)i), 0);
    }
    tuco_wg_wait(&wg);
    ASSERT_EQ(atomic_load(&wrong), 0);
    return 0;
}

TEST(errno_inline) {
    checks = CHECKS;
    RUN(run_main);
}

TEST(errno_inline_migrating) {
    checks = CHECKS_MIGRATING;
    test_setenv("TUCODEBUG", "migrate=1");
    RUN(run_main);
}
