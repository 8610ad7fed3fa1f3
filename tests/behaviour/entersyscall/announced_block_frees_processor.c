/* SPDX-License-Identifier: MIT */
/* Proves: while a goroutine is in an announced call that blocks, other goroutines use its
   processor, even if it is the only processor. */
/* fixed procs */
#include "pipes.h"

#define ROUNDS 20

static tuco_wg wg;
static struct pipe_ends data;
static atomic_int entered;

static void take_announced(void *arg) {
    (void)arg;
    atomic_store(&entered, 1);
    tuco_blocking_enter();
    pipe_take(&data);
    tuco_blocking_exit();
}

/* With one processor, a goroutine that sees the word has got the processor from the
   reader. */
static void put_when_entered(void *arg) {
    (void)arg;
    test_await(&entered, 1);
    pipe_put(&data, 1);
}

static int child_blocks_main(void *arg) {
    for (int i = 0; i < ROUNDS; i++) {
        atomic_store(&entered, 0);
        ASSERT_EQ(tuco_wg_go(&wg, take_announced, NULL), 0);
        put_when_entered(arg);
        tuco_wg_wait(&wg);
    }
    return 0;
}

static int main_blocks_main(void *arg) {
    for (int i = 0; i < ROUNDS; i++) {
        atomic_store(&entered, 0);
        ASSERT_EQ(tuco_wg_go(&wg, put_when_entered, NULL), 0);
        take_announced(arg);
        tuco_wg_wait(&wg);
    }
    return 0;
}

TEST(child_blocks) {
    use_procs(1);
    pipe_open(&data);
    RUN(child_blocks_main);
}

TEST(main_blocks) {
    use_procs(1);
    pipe_open(&data);
    RUN(main_blocks_main);
}
