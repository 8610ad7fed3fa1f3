/* SPDX-License-Identifier: MIT */
/* Proves: with all goroutines blocked, the runtime uses under 1 % of one CPU, right after
   work too. */
/* serial */
#include "test.h"

#include <time.h>

#define PERIOD  (100 * TUCO_MILLISECOND)
#define CPU_MAX (1 * TUCO_MILLISECOND)
#define TRIES   10
#define BURST   200

static tuco_wg gate;
static atomic_int waiting;

static void wait_at_gate(void *arg) {
    (void)arg;
    atomic_fetch_add(&waiting, 1);
    tuco_wg_wait(&gate);
}

/* The sleep is what is measured, not a way to synchronise. */
static tuco_time cpu_of_an_idle_period(int waiting_before) {
    struct timespec period = {.tv_nsec = PERIOD};
    for (int i = 0; i < BURST; i++) {
        ASSERT_EQ(tuco_go(wait_at_gate, NULL), 0);
    }
    test_spin(&waiting, waiting_before + BURST);
    tuco_time before = test_cpu_time();
    nanosleep(&period, NULL);
    return test_cpu_time() - before;
}

TEST(idle_burns_no_cpu) {
    tuco_time best = PERIOD;
    ASSERT_EQ(tuco_start(), 0);
    tuco_wg_add(&gate, 1);
    for (int i = 0; i < TRIES && best > CPU_MAX; i++) {
        tuco_time spent = cpu_of_an_idle_period(i * BURST);
        best = spent < best ? spent : best;
    }
    tuco_wg_done(&gate);
    ASSERT_EQ(tuco_stop(TUCO_NEVER), 0);
    ASSERT_LE(best, CPU_MAX);
}
