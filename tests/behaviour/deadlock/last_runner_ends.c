/* SPDX-License-Identifier: MIT */
/* Proves: a deadlock is reported when the last running goroutine ends or blocks, and not
   before. */
#include "test.h"

#include <stdio.h>

#define TURNS 10000

static tuco_wg never;

static void run_for_a_while(void *arg) {
    (void)arg;
    for (int i = 0; i < TURNS; i++) {
        tuco_yield();
    }
    fprintf(stderr, "last words\n");
}

static void run_and_block(void *arg) {
    run_for_a_while(arg);
    tuco_wg_wait(&never);
}

static int wait_for(tuco_fn *fn) {
    tuco_wg_add(&never, 1);
    ASSERT_EQ(tuco_go(fn, NULL), 0);
    tuco_wg_wait(&never);
    return 0;
}

static int ends_main(void *arg) {
    (void)arg;
    return wait_for(run_for_a_while);
}

static int blocks_main(void *arg) {
    (void)arg;
    return wait_for(run_and_block);
}

TEST(last_runner_ends) {
    RUN_DIES(ends_main, "last words\nfatal error: all goroutines are asleep - deadlock!");
}

TEST(last_runner_blocks) {
    RUN_DIES(blocks_main,
             "last words\nfatal error: all goroutines are asleep - deadlock!");
}
