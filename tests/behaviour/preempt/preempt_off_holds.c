/* SPDX-License-Identifier: MIT */
/* Proves: between tuco_preempt_off and tuco_preempt_on a goroutine keeps its processor, in
   nested sections until the outermost ends; then it is interrupted as before. */
/* fixed procs */
/* slow */
#include "hogs.h"

#define SPAN  (50 * TUCO_MILLISECOND)
#define TRIES 20

static bool computes_alone(void) {
    int before = atomic_load(&turns);
    compute_for(SPAN);
    return atomic_load(&turns) == before;
}

static bool outer_alone(void) {
    tuco_preempt_off();
    bool alone = computes_alone();
    tuco_preempt_on();
    return alone;
}

static bool after_inner_alone(void) {
    tuco_preempt_off();
    tuco_preempt_off();
    tuco_preempt_off();
    tuco_preempt_on();
    tuco_preempt_on();
    bool alone = computes_alone();
    tuco_preempt_on();
    return alone;
}

/* A thread that the kernel stops for long looks asleep, and loses its processor. On a
   busy machine this happens, but not in most tries. */
static int run_main(void *arg) {
    bool (*section)(void) = *(bool (**)(void))arg;
    int alone = 0;
    turns_start();
    for (int i = 0; i < TRIES; i++) {
        alone += section();
        compute_for_turns(1);
    }
    turns_stop();
    ASSERT_GT(alone, TRIES / 4);
    return 0;
}

static void run_with(bool (*section)(void)) {
    hogs_use(1);
    ASSERT_EQ(tuco_run(run_main, &section), 0);
}

TEST(preempt_off_holds) {
    run_with(outer_alone);
}

TEST(preempt_off_nests) {
    run_with(after_inner_alone);
}
