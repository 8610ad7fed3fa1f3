/* SPDX-License-Identifier: MIT */
/* Proves: a loop with tuco_checkpoint yields to waiting goroutines without any signal,
   and continues if none waits. */
/* fixed procs */
#include "hogs.h"

static void check_for_turns(int n) {
    int before = atomic_load(&turns);
    while (atomic_load(&turns) - before < n) {
        tuco_checkpoint();
    }
}

static int run_main(void *arg) {
    (void)arg;
    turns_start();
    check_for_turns(HOG_TURNS);
    turns_stop();
    for (int i = 0; i < 1000000; i++) {
        tuco_checkpoint();
    }
    return 0;
}

TEST(checkpoint_yields) {
    hogs_set_procs(1);
    test_setenv("TUCODEBUG", "asyncpreemptoff=1");
    RUN(run_main);
}
