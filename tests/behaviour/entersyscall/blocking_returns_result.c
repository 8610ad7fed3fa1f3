/* SPDX-License-Identifier: MIT */
/* Proves: tuco_blocking() calls the function once with its argument and returns its
   result, also if another goroutine took the processor meanwhile, and on a foreign
   thread. */
/* fixed procs */
#include "pipes.h"

static tuco_wg wg;
static struct pipe_ends data;
static atomic_int entered;
static int calls;

static intptr_t give(void *arg) {
    calls++;
    return *(intptr_t *)arg;
}

static intptr_t block_and_give(void *arg) {
    atomic_store(&entered, 1);
    pipe_take(&data);
    return give(arg);
}

static void all_values(intptr_t (*fn)(void *)) {
    static intptr_t values[] = {0, 1, -1, INTPTR_MAX, INTPTR_MIN};
    for (int i = 0; i < 5; i++) {
        calls = 0;
        ASSERT_EQ(tuco_blocking(fn, &values[i]), values[i]);
        ASSERT_EQ(calls, 1);
    }
}

static void block_for_each(void *arg) {
    (void)arg;
    all_values(block_and_give);
}

static void give_each(void *arg) {
    (void)arg;
    all_values(give);
}

static int run_main(void *arg) {
    all_values(give);
    ASSERT_EQ(tuco_wg_go(&wg, block_for_each, NULL), 0);
    for (int i = 0; i < 5; i++) {
        test_await(&entered, 1); // this goroutine has the processor
        atomic_store(&entered, 0);
        pipe_put(&data, 1);
    }
    tuco_wg_wait(&wg);
    test_threads_run(1, give_each, arg);
    return 0;
}

TEST(blocking_returns_result) {
    use_procs(1);
    pipe_open(&data);
    RUN(run_main);
}

TEST(without_a_runtime) {
    all_values(give);
}
