/* SPDX-License-Identifier: MIT */
/* Proves: a tree of goroutines that start others and wait for them is walked in depth:
   few of its nodes are alive at once. */
/* fixed procs */
#include "test.h"

/* 121,392 goroutines. In breadth 7,200 of them are alive at once, in depth 2,500. */
#define ARGUMENT  25
#define ALIVE_MAX 4000

static size_t most_alive;

struct child {
    int argument;
    tuco_wg done;
};

static void tree(int n);

static void run_child(void *arg) {
    struct child *c = arg;
    tree(c->argument);
    tuco_wg_done(&c->done);
}

static void tree(int n) {
    if (n < 2) {
        return;
    }
    struct child c = {.argument = n - 1};
    tuco_wg_add(&c.done, 1);
    ASSERT_EQ(tuco_go(run_child, &c), 0);
    size_t alive = tuco_count();
    most_alive = alive > most_alive ? alive : most_alive;
    tree(n - 2);
    tuco_wg_wait(&c.done);
}

static int run_main(void *arg) {
    (void)arg;
    tree(ARGUMENT);
    ASSERT_LE(most_alive, ALIVE_MAX);
    return 0;
}

TEST(trees_stay_narrow) {
#ifdef __SANITIZE_THREAD__
    SKIP("half a millisecond for each goroutine's stack is the sanitizer's price.");
#endif
    test_setenv("TUCOPROCS", "1");
    RUN(run_main);
}
