/* SPDX-License-Identifier: MIT */
/* Proves: with TUCODEBUG=asyncpreemptoff=1 a goroutine that makes no calls keeps its
   processor until it ends. */
/* fixed procs */
#include "hogs.h"

#define SPAN  (50 * TUCO_MILLISECOND)
#define TRIES 20

static bool computes_alone(void) {
    int before = atomic_load(&turns);
    compute_for(SPAN);
    return atomic_load(&turns) == before;
}

/* A thread that the kernel stops for long looks asleep, and loses its processor. On a
   busy machine this happens, but not in most tries. */
static int run_main(void *arg) {
    (void)arg;
    int alone = 0;
    turns_start();
    for (int i = 0; i < TRIES; i++) {
        alone += computes_alone();
        int before = atomic_load(&turns);
        while (atomic_load(&turns) == before) {
            tuco_yield(); // the other goroutine could run all the time
        }
    }
    turns_stop();
    ASSERT_GT(alone, TRIES / 4);
    return 0;
}

TEST(asyncpreemptoff_leaves_hog) {
    hogs_set_procs(1);
    test_setenv("TUCODEBUG", "asyncpreemptoff=1");
    RUN(run_main);
}
