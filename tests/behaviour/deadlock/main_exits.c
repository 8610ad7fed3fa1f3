/* SPDX-License-Identifier: MIT */
/* Proves: when main calls tuco_exit(), the other goroutines run to their end, and then a
   deadlock is reported. */
#include "test.h"

#include <stdio.h>

#define NO_GOROUTINES \
    "fatal error: no goroutines (main called runtime.Goexit) - deadlock!"

static tuco_wg never;

static void say_goodbye(void *arg) {
    (void)arg;
    for (int i = 0; i < 1000; i++) {
        tuco_yield();
    }
    fprintf(stderr, "goodbye\n");
}

static void block(void *arg) {
    (void)arg;
    tuco_wg_wait(&never);
}

static int alone_main(void *arg) {
    (void)arg;
    tuco_exit();
}

static int with_others_main(void *arg) {
    (void)arg;
    ASSERT_EQ(tuco_go(say_goodbye, NULL), 0);
    tuco_exit();
}

static int with_blocked_main(void *arg) {
    (void)arg;
    tuco_wg_add(&never, 1);
    ASSERT_EQ(tuco_go(block, NULL), 0);
    tuco_exit();
}

TEST(main_exits_alone) {
    RUN_DIES(alone_main, NO_GOROUTINES);
}

TEST(main_exits_before_others) {
    RUN_DIES(with_others_main, "goodbye\n" NO_GOROUTINES);
}

/* A goroutine is left, but blocked: the usual report. */
TEST(main_exits_and_others_block) {
    RUN_DIES(with_blocked_main, "fatal error: all goroutines are asleep - deadlock!");
}
