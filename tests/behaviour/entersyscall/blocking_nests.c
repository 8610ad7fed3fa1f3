/* SPDX-License-Identifier: MIT */
/* Proves: announcements nest: the calls of a goroutine are announced until the outermost
   announcement ends, at any depth. */
/* fixed procs */
#include "pipes.h"

#define DEPTH 100

static tuco_wg wg;
static struct pipe_ends data;
static atomic_int taken;

static void take_one(void) {
    pipe_take(&data);
    atomic_fetch_add(&taken, 1);
}

/* Blocks at each depth on the way in, and again on the way out. */
static void take_nested(void *arg) {
    (void)arg;
    for (int i = 0; i < DEPTH; i++) {
        tuco_blocking_enter();
        take_one();
    }
    for (int i = 0; i < DEPTH; i++) {
        take_one();
        tuco_blocking_exit();
    }
    tuco_yield(); // an ordinary goroutine again
}

static intptr_t nested(void *arg) {
    intptr_t depth = *(intptr_t *)arg;
    intptr_t below = depth - 1;
    take_one();
    return depth == 0 ? 0 : 1 + tuco_blocking(nested, &below);
}

static void take_recursive(void *arg) {
    (void)arg;
    intptr_t depth = DEPTH;
    ASSERT_EQ(tuco_blocking(nested, &depth), DEPTH);
}

/* Writes one byte at a time, the next when the reader has taken it. So the reader blocks
   at every depth, and this goroutine runs only on the processor taken from the reader. */
static void feed(int count) {
    for (int i = 0; i < count; i++) {
        pipe_put(&data, 1);
        test_await(&taken, i + 1);
    }
}

static int run_main(void *arg) {
    (void)arg;
    ASSERT_EQ(tuco_wg_go(&wg, take_nested, NULL), 0);
    feed(2 * DEPTH);
    tuco_wg_wait(&wg);
    atomic_store(&taken, 0);
    ASSERT_EQ(tuco_wg_go(&wg, take_recursive, NULL), 0);
    feed(DEPTH + 1);
    tuco_wg_wait(&wg);
    return 0;
}

TEST(blocking_nests) {
    use_procs(1);
    pipe_open(&data);
    RUN(run_main);
}
