/* SPDX-License-Identifier: MIT */
/* Proves: a P whose goroutine only yields steals a goroutine that waits behind one that
   computes on another P. */
/* fixed procs */
#include "turns.h"

#include "sched/runq.h"
#include "sched/sched.h"

#define CPU    (100 * TUCO_MILLISECOND)
#define ROUNDS 10
/* A P tries to steal at every 61st slice. Before it did, a yielding goroutine had tens of
   thousands of turns while another computed for its slice of 10 ms. */
#define TURNS_MAX 1000

static tuco_wg wg;
static atomic_int turns[2];
static atomic_int over;

static void compute(void *arg) {
    (void)arg;
    test_spin(&over, 1);
}

static bool any_queued(void) {
    return rt_p_queued(&rt_sched.ps[0]) + rt_p_queued(&rt_sched.ps[1]) > 0;
}

/* Counts its consecutive turns in which the other had none while a goroutine was queued.
   No goroutine is queued on a P whose thread waits for a CPU, or that was taken away. */
static void yield(void *arg) {
    int self = *(int *)arg;
    int other_had = 0;
    int waits = 0;
    tuco_time end = turns_clock(CLOCK_PROCESS_CPUTIME_ID) + CPU;
    while (atomic_load(&over) == 0) {
        atomic_fetch_add(&turns[self], 1);
        int had = atomic_load(&turns[1 - self]);
        waits = had == other_had && any_queued() ? waits + 1 : 0;
        ASSERT_LT(waits, TURNS_MAX);
        other_had = had;
        if (turns_clock(CLOCK_PROCESS_CPUTIME_ID) >= end) {
            atomic_store(&over, 1);
        }
        tuco_yield();
    }
}

static int run_main(void *arg) {
    (void)arg;
    int selves[] = {0, 1};
    for (int i = 0; i < ROUNDS; i++) {
        atomic_store(&over, 0);
        ASSERT_EQ(tuco_wg_go(&wg, yield, &selves[0]), 0);
        ASSERT_EQ(tuco_wg_go(&wg, yield, &selves[1]), 0);
        ASSERT_EQ(tuco_wg_go(&wg, compute, NULL), 0);
        tuco_wg_wait(&wg);
    }
    return 0;
}

TURNS_TEST(beside_one_that_computes, 2, run_main)
