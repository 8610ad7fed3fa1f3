/* SPDX-License-Identifier: MIT */
/* Proves: if the CPU time of threads cannot be read, as in some sandboxes, a goroutine
   that blocks in the kernel still loses its processor, with and without signals, and a
   goroutine that computes is interrupted. */
/* fixed procs */
#include "pipes.h"
#include "hogs.h"
#include "fault.h"

#include <errno.h>

#define BLOCKERS 2

static tuco_wg wg;
static struct pipe_ends data;
static atomic_int entered;

static void block(void *arg) {
    (void)arg;
    atomic_fetch_add(&entered, 1);
    pipe_take(&data);
}

static int read_main(void *arg) {
    (void)arg;
    for (int i = 0; i < BLOCKERS; i++) {
        ASSERT_EQ(tuco_wg_go(&wg, block, NULL), 0);
    }
    test_await(&entered, BLOCKERS);
    pipe_put(&data, BLOCKERS);
    tuco_wg_wait(&wg);
    return 0;
}

static void run_without_clocks(int (*main_fn)(void *)) {
    test_setenv("TUCOPROCS", "1");
    test_fault_plan(OS_FAULT_THREAD_CPU, 1, TEST_FAULT_ALWAYS, EINVAL);
    RUN(main_fn);
}

TEST(block_with_signals) {
    pipe_open(&data);
    run_without_clocks(read_main);
}

TEST(block_without_signals) {
    pipe_open(&data);
    test_setenv("TUCODEBUG", "asyncpreemptoff=1");
    run_without_clocks(read_main);
}

static int compute_main(void *arg) {
    (void)arg;
    turns_start();
    compute_for_turns(3);
    turns_stop();
    return 0;
}

TEST(compute) {
    hogs_use(1);
    run_without_clocks(compute_main);
}
