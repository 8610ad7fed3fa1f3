/* SPDX-License-Identifier: MIT */
/* Proves: a goroutine that has switched preemption off may block and yield, and stays
   uninterrupted afterwards; when it ends, the next goroutine can be preempted. */
/* fixed procs */
#include "hogs.h"

#define SPAN  (50 * TUCO_MILLISECOND)
#define TRIES 20

static tuco_wg wg;

static bool still_alone(void) {
    int before = atomic_load(&turns);
    while (atomic_load(&turns) == before) {
        tuco_yield(); // the goroutine that counts turns runs
    }
    tuco_sleep(TUCO_MILLISECOND);
    before = atomic_load(&turns);
    compute_for(SPAN);
    return atomic_load(&turns) == before;
}

/* Ends with preemption off, by returning and by tuco_exit. */
static void leave_it_off(void *arg) {
    tuco_preempt_off();
    tuco_preempt_off();
    if (arg != NULL) {
        tuco_exit();
    }
}

/* Reuses the descriptor of a goroutine that has just ended. */
static void be_interrupted(void *arg) {
    (void)arg;
    compute_for_turns(1);
}

static int run_main(void *arg) {
    (void)arg;
    int alone = 0;
    turns_start();
    tuco_preempt_off();
    for (int i = 0; i < TRIES; i++) {
        alone += still_alone();
    }
    tuco_preempt_on();
    ASSERT_GT(alone, TRIES / 4);
    for (int i = 0; i < TRIES; i++) {
        ASSERT_EQ(tuco_wg_go(&wg, leave_it_off, i % 2 == 0 ? &wg : NULL), 0);
        tuco_wg_wait(&wg);
        ASSERT_EQ(tuco_wg_go(&wg, be_interrupted, NULL), 0);
        tuco_wg_wait(&wg);
        compute_for_turns(1);
    }
    turns_stop();
    return 0;
}

TEST(preempt_off_goes_with_goroutine) {
    hogs_use(1);
    RUN(run_main);
}
