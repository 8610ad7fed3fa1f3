/* SPDX-License-Identifier: MIT */
/* Proves: tuco_run() returns when main does, although goroutines are blocked in the
   kernel. When their calls return, these goroutines do not continue. */
/* fixed procs */
#include "pipes.h"

#include <errno.h>

static struct pipe_ends data;
static atomic_int entered;
static atomic_int calling;
static atomic_int came_back;

static void take(void *arg) {
    (void)arg;
    atomic_fetch_add(&entered, 1);
    pipe_take(&data);
    atomic_fetch_add(&calling, 1);
    tuco_yield();
    atomic_fetch_add(&came_back, 1);
}

static void take_announced(void *arg) {
    (void)arg;
    tuco_blocking_enter();
    atomic_fetch_add(&entered, 1);
    pipe_take(&data);
    atomic_fetch_add(&calling, 1);
    tuco_blocking_exit();
    tuco_yield();
    atomic_fetch_add(&came_back, 1);
}

/* Without a call into the library, so that main stays on the thread of tuco_run() and the
   others block on threads of their own. */
static int run_main(void *arg) {
    (void)arg;
    ASSERT_EQ(tuco_go(take, NULL), 0);
    ASSERT_EQ(tuco_go(take_announced, NULL), 0);
    test_spin(&entered, 2);
    return 5;
}

TEST(blocked_at_exit) {
    use_procs(4);
    pipe_open(&data);
    ASSERT_EQ(tuco_run(run_main, NULL), 5);
    ASSERT_EQ(tuco_run(test_empty_main, NULL), -EBUSY);
    pipe_put(&data, 2);
    test_spin(&calling, 2);
    for (int i = 0; i < 10000; i++) {
        sched_yield();
        ASSERT_EQ(atomic_load(&came_back), 0);
    }
}
