/* SPDX-License-Identifier: MIT */
/* Proves: a large number of goroutines can block their threads at the same time, all
   return, and threads that are no longer needed end. */
/* fixed procs */
/* not under qemu */
/* slow */
#include "pipes.h"

#define COUNT TEST_SIZE(1000, 200)
#define LIMIT (30 * TUCO_SECOND)

static tuco_wg wg;
static struct pipe_ends data;
static atomic_int entered;
static atomic_int back;

static void take(void *arg) {
    (void)arg;
    tuco_blocking_enter();
    atomic_fetch_add(&entered, 1);
    pipe_take(&data);
    tuco_blocking_exit();
    atomic_fetch_add(&back, 1);
}

/* Threads end some time later: polls their number until a limit. */
static void await_fewer_threads(int wanted) {
    tuco_time deadline = tuco_deadline(LIMIT);
    while (test_count_threads() > wanted && tuco_now() < deadline) {
        tuco_sleep(10 * TUCO_MILLISECOND);
    }
    ASSERT_LE(test_count_threads(), wanted);
}

static int run_main(void *arg) {
    (void)arg;
    for (int i = 0; i < COUNT; i++) {
        ASSERT_EQ(tuco_wg_go(&wg, take, NULL), 0);
    }
    test_await(&entered, COUNT);
    ASSERT_GE(test_count_threads(), COUNT); // each has one of its own
    ASSERT_EQ(tuco_count(), COUNT + 1);
    pipe_put(&data, COUNT);
    tuco_wg_wait(&wg);
    ASSERT_EQ(atomic_load(&back), COUNT);
    await_fewer_threads(COUNT / 2);
    return 0;
}

TEST(many_blocked) {
    use_procs(2);
    pipe_open(&data);
    int before = test_count_threads();
    RUN(run_main);
    EXPECT_THREADS(before);
}
