/* SPDX-License-Identifier: MIT */
/* Proves: if sysmon requests a yield while preemption is off, the goroutine yields in
   tuco_preempt_on. */
/* fixed procs */
#include "hogs.h"

#define ROUNDS 20

/* The word that tuco_checkpoint() reads: whether a request is pending. */
static bool is_asked(void) {
    return __atomic_load_n(&tuco_private_checkpoint_wanted, __ATOMIC_RELAXED) != 0;
}

/* Also false if others ran before: a thread that the kernel stops for long loses its
   processor without a request. */
static bool gives_way(void) {
    int before = atomic_load(&turns);
    tuco_preempt_off();
    while (!is_asked() && atomic_load(&turns) == before) {
    }
    int asked = atomic_load(&turns);
    tuco_preempt_on();
    return asked == before && atomic_load(&turns) > asked;
}

static int run_main(void *arg) {
    (void)arg;
    int given = 0;
    turns_start();
    for (int i = 0; i < ROUNDS; i++) {
        given += gives_way();
        tuco_yield();
    }
    turns_stop();
    ASSERT_GT(given, ROUNDS / 4);
    return 0;
}

/* Without signals: a signal after tuco_preempt_on would hide that it did not yield. */
TEST(preempt_on_yields) {
    hogs_set_procs(1);
    test_setenv("TUCODEBUG", "asyncpreemptoff=1");
    RUN(run_main);
}
