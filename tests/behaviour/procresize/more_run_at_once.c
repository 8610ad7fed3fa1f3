/* SPDX-License-Identifier: MIT */
/* Proves: after tuco_procs(n), n goroutines run at the same time, including those that
   waited for a processor during the call. */
/* fixed procs */
#include "test.h"

static atomic_int raised; /* tuco_procs() has returned */
static atomic_int met;

/* No signal interrupts a goroutine, so all of them have to run for this to end. Before the
   call a goroutine yields: main may have used up its slice, and needs a turn to make it. */
static void meet(void *arg) {
    int count = *(int *)arg;
    while (atomic_load(&raised) == 0) {
        tuco_yield();
    }
    atomic_fetch_add(&met, 1);
    test_spin(&met, count);
}

static void meet_with(int procs, int before) {
    tuco_wg wg = {0};
    atomic_store(&raised, 0);
    atomic_store(&met, 0);
    for (int i = 1; i < procs; i++) {
        ASSERT_EQ(tuco_wg_go(&wg, meet, &procs), 0);
    }
    ASSERT_EQ(tuco_procs(procs), before);
    atomic_store(&raised, 1);
    meet(&procs);
    tuco_wg_wait(&wg);
}

/* Each time there are more than ever before, and fewer in between. */
static int run_main(void *arg) {
    (void)arg;
    for (int procs = 2; procs <= 16; procs *= 2) {
        meet_with(procs, 1);
        meet_with(2, procs);
        ASSERT_EQ(tuco_procs(1), 2);
    }
    return 0;
}

TEST(more_run_at_once) {
    test_setenv("TUCOPROCS", "1");
    test_setenv("TUCODEBUG", "asyncpreemptoff=1");
    RUN(run_main);
}
