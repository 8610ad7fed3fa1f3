/* SPDX-License-Identifier: MIT */
/* Proves: a goroutine that blocks in the kernel without an announcement loses its
   processor to the others, and its call is not interrupted. */
/* fixed procs */
#include "pipes.h"

#include <poll.h>

static tuco_wg wg;
static struct pipe_ends data;
static atomic_int entered;
static int blockers;

static void by_read(void *arg) {
    (void)arg;
    atomic_fetch_add(&entered, 1);
    pipe_take(&data);
}

static void by_poll(void *arg) {
    (void)arg;
    struct pollfd readable = {.fd = data.fd[0], .events = POLLIN};
    atomic_fetch_add(&entered, 1);
    ASSERT_EQ(poll(&readable, 1, -1 /* no limit */), 1);
    ASSERT_EQ(readable.revents, POLLIN);
}

/* More goroutines than processors, and none calls the library after it has counted
   itself: main sees the last count only if processors were taken away. */
static int run_main(void *arg) {
    tuco_fn *block = *(tuco_fn **)arg;
    for (int i = 0; i < blockers; i++) {
        ASSERT_EQ(tuco_wg_go(&wg, block, NULL), 0);
    }
    test_await(&entered, blockers);
    pipe_put(&data, blockers);
    tuco_wg_wait(&wg);
    return 0;
}

static void run_with(int procs, tuco_fn *block) {
    use_procs(procs);
    pipe_open(&data);
    blockers = 2 * procs;
    ASSERT_EQ(tuco_run(run_main, &block), 0);
}

TEST(read_at_1) {
    run_with(1, by_read);
}

TEST(read_at_2) {
    run_with(2, by_read);
}

TEST(read_at_4) {
    run_with(4, by_read);
}

TEST(poll_at_1) {
    run_with(1, by_poll);
}

TEST(poll_at_4) {
    run_with(4, by_poll);
}
