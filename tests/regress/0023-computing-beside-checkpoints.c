/* SPDX-License-Identifier: MIT */
/* Proves: a goroutine that computes without a call has its turn as often as those beside
   it that compute with checkpoints. */
/*
 * Bug. A goroutine that a signal has stopped goes on when another M hands it a P. That
 * was not counted as a slice that begins: to the monitor it had held the P for as long
 * as before, and was stopped again at its next look. And goroutines with checkpoints go
 * from one to the next without a scheduler, which alone hands over a P; so it had to
 * wait as long as the global queue is left alone.
 *
 * Fix. A slice begins, got_p() in bound.c. Each P counts those from one turn of the list
 * to the next, which comes after as many as goroutines were in line:
 * rt_bound_have_turn().
 *
 * Fails without it: after its first slice it gets through next to nothing.
 */
/* ThreadSanitizer holds signals back while a thread only computes. */
/* not under tsan */
/* fixed procs */
#include "test.h"

#define POLITE    2
#define COMPUTING POLITE
#define TURNS     20 /* of each that is polite */
#define LEAST     3  /* the other gets this part of what they get, at least */
#define UNIT      1000

static tuco_wg wg;
static atomic_int turns[POLITE + 1];
static atomic_long units[POLITE + 1];
static atomic_int last = -1;
static atomic_int over;

/* With one P only one of them runs at a time. */
static void work(int self) {
    for (volatile int i = 0; i < UNIT; i++) {
    }
    atomic_fetch_add(&units[self], 1);
    if (atomic_load(&last) != self) {
        atomic_store(&last, self);
        atomic_fetch_add(&turns[self], 1);
    }
}

static void compute_politely(void *arg) {
    int self = (int)(intptr_t)arg;
    while (atomic_load(&over) == 0) {
        work(self);
        if (atomic_load(&turns[self]) == TURNS) {
            atomic_store(&over, 1);
        }
        tuco_checkpoint();
    }
}

static void compute(void *arg) {
    (void)arg;
    while (atomic_load(&over) == 0) {
        work(COMPUTING);
    }
}

static int run_main(void *arg) {
    (void)arg;
    for (intptr_t i = 0; i < POLITE; i++) {
        ASSERT_EQ(tuco_wg_go(&wg, compute_politely, (void *)i), 0);
    }
    ASSERT_EQ(tuco_wg_go(&wg, compute, NULL), 0);
    tuco_wg_wait(&wg);
    for (int i = 0; i < POLITE; i++) {
        ASSERT_GE(LEAST * atomic_load(&units[COMPUTING]), atomic_load(&units[i]));
    }
    return 0;
}

TEST(computing_beside_checkpoints) {
    test_setenv("TUCOPROCS", "1");
    RUN(run_main);
}
