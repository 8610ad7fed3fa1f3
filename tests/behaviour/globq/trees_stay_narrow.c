/* SPDX-License-Identifier: MIT */
/* Proves: a tree of goroutines that start others and wait for them is walked in depth:
   few of its nodes are alive at once. */
/* Where a turn takes long, goroutines that have waited go first, and trees get wide. */
/* not under qemu */
/* fixed procs */
#include "test.h"

/* 121,392 goroutines. In breadth 7,200 of them are alive at once, in depth 2,500. */
#define ARGUMENT  25
#define ALIVE_MAX 4000

/* A goroutine that has waited for 10 ms goes first, and makes the tree wider. So the
   narrowest round counts. */
#define ROUNDS 10

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
    size_t least = SIZE_MAX;
    for (int i = 0; i < ROUNDS && least > ALIVE_MAX; i++) {
        most_alive = 0;
        tree(ARGUMENT);
        least = most_alive < least ? most_alive : least;
    }
    ASSERT_LE(least, ALIVE_MAX);
    return 0;
}

TEST(trees_stay_narrow) {
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
    SKIP("With the sanitizer's price for each stack the oldest are aged.");
#endif
    test_setenv("TUCOPROCS", "1");
    RUN(run_main);
}
