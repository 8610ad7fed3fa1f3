/* SPDX-License-Identifier: MIT */
/* Proves: a goroutine that loses its processor in a blocking call, and then computes,
   does not run beside the others for ever: it waits for a processor. */
/* fixed procs */
#include "hogs.h"

#include <string.h>
#include <unistd.h>

#define CPU_MAX (20 * TUCO_SECOND)

static int pipe_fds[2];
static atomic_int blocks;   /* the first goroutine is about to block */
static atomic_int computes; /* it has returned, and computes */
static atomic_int hog_runs; /* the second runs on that processor */
static atomic_int stop;

static void block_and_compute(void *arg) {
    (void)arg;
    char byte;
    ASSERT_EQ(tuco_set_name("first"), 0);
    atomic_store(&blocks, 1);
    ASSERT_EQ(read(pipe_fds[0], &byte, 1), 1);
    atomic_store(&computes, 1);
    compute_until(&stop, 1);
}

static void hog(void *arg) {
    (void)arg;
    atomic_store(&hog_runs, 1);
    compute_until(&stop, 1);
}

/* Only the dump shows that the first goroutine waits: it is not in a call. */
static void watch(void *arg) {
    (void)arg;
    test_spin(&hog_runs, 1);
    ASSERT_EQ(write(pipe_fds[1], "", 1), 1);
    test_spin(&computes, 1);
    tuco_time limit = test_cpu_time() + CPU_MAX;
    while (strstr(test_dump(), "[runnable] {name: first}") == NULL) {
        ASSERT_LT(test_cpu_time(), limit);
    }
    atomic_store(&stop, 1);
}

static int run_main(void *arg) {
    (void)arg;
    tuco_wg wg = {0};
    struct test_thread watcher;
    ASSERT_EQ(tuco_wg_go(&wg, block_and_compute, NULL), 0);
    test_await(&blocks, 1);
    ASSERT_EQ(tuco_wg_go(&wg, hog, NULL), 0);
    test_thread_start(&watcher, watch, NULL);
    tuco_wg_wait(&wg);
    test_thread_join(&watcher);
    return 0;
}

TEST(a_hog_that_lost_its_processor_waits_for_its_turn) {
    hogs_use(1);
    ASSERT_EQ(pipe(pipe_fds), 0);
    RUN(run_main);
    close(pipe_fds[0]);
    close(pipe_fds[1]);
}
