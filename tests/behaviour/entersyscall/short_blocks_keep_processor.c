/* SPDX-License-Identifier: MIT */
/* Proves: a goroutine keeps its processor and its turn during short announced calls. */
/* fixed procs */
#include "ran.h"
#include "pipes.h"

#define CALLS 10
#define TRIES 200

static tuco_wg wg;

static bool short_calls_keep_turn(void) {
    atomic_store(&ran, 0);
    ASSERT_EQ(tuco_wg_go(&wg, ran_set, NULL), 0);
    for (int i = 0; i < CALLS; i++) {
        tuco_blocking_enter();
        getppid();
        tuco_blocking_exit();
    }
    bool kept = atomic_load(&ran) == 0;
    tuco_wg_wait(&wg);
    return kept;
}

/* The kernel may preempt this thread in the middle of a call, which is then long. It does
   not do so every time. */
static int run_main(void *arg) {
    (void)arg;
    int kept = 0;
    for (int i = 0; i < TRIES; i++) {
        kept += short_calls_keep_turn();
    }
    ASSERT_GT(kept, TRIES / 2);
    return 0;
}

TEST(short_blocks_keep_processor) {
    use_procs(1);
    RUN(run_main);
}
