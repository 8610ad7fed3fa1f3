/* SPDX-License-Identifier: MIT */
/* Proves: tuco_exit ends the calling goroutine alone, from any depth; the others go
   on. */
#include "test.h"

#define COUNT 64

static tuco_wg wg;
static atomic_int after;
static atomic_int survived;

// volatile: the compiler does not know that the call is final
static void (*volatile leave_now)(void) = tuco_exit;

static void leave_from(int depth) {
    volatile char frame[64] = {(char)depth};
    if (depth == 0) {
        leave_now();
        return;
    }
    leave_from(depth - 1);
    atomic_fetch_add(&after, frame[0]);
}

static void leave(void *arg) {
    (void)arg;
    leave_from(20);
    atomic_fetch_add(&after, 1);
}

static void stay(void *arg) {
    (void)arg;
    tuco_yield();
    atomic_fetch_add(&survived, 1);
}

static int run_main(void *arg) {
    (void)arg;
    for (int i = 0; i < COUNT; i++) {
        ASSERT_EQ(tuco_wg_go(&wg, leave, NULL), 0); // counts down though it never returns
        ASSERT_EQ(tuco_wg_go(&wg, stay, NULL), 0);
    }
    tuco_wg_wait(&wg);
    ASSERT_EQ(atomic_load(&after), 0);
    ASSERT_EQ(atomic_load(&survived), COUNT);
    return 0;
}

TEST(exit_ends_only_caller) {
    RUN(run_main);
}
