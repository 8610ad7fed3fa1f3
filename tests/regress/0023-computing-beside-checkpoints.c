/* SPDX-License-Identifier: MIT */
/* Proves: a goroutine that computes without calls does at least a third of the work of
   each goroutine beside it that computes with checkpoints. */
/*
 * Bug. An interrupted goroutine continues when another M hands it a P. That did not begin
 * a slice: sysmon still counted the time before, and interrupted it again at its next
 * check. Also, goroutines with checkpoints switch to each other without the scheduler,
 * which alone hands over a P; so the interrupted goroutine waited until the scheduler
 * next checked the global queue.
 *
 * Fix. The handover begins a slice: got_p() in lockedm.c. Each P counts its slices from
 * one turn of the list to the next; the next turn comes after as many slices as
 * goroutines were in line: rt_lockedm_have_turn().
 *
 * Fails without it: after its first slice the goroutine does almost no work.
 */
/* ThreadSanitizer delays signals while a thread only computes. */
/* not under tsan */
/* fixed procs */
#include "test.h"

#include <time.h>

#define POLITE    2
#define COMPUTING POLITE
#define SLICES    60 /* of all goroutines together, in CPU time */
#define LEAST     3  /* each of the others does at most this many times its work */
#define UNIT      1000

static tuco_wg wg;
static atomic_long units[POLITE + 1];
static atomic_int over;

static void work(int self) {
    for (volatile int i = 0; i < UNIT; i++) {
    }
    atomic_fetch_add(&units[self], 1);
}

static int64_t process_cpu_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (int64_t)t.tv_sec * TUCO_SECOND + t.tv_nsec;
}

static void compute_politely(void *arg) {
    int self = (int)(intptr_t)arg;
    while (atomic_load(&over) == 0) {
        work(self);
        if (process_cpu_ns() >= SLICES * 10 * TUCO_MILLISECOND) {
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
