/* SPDX-License-Identifier: MIT */
/* Proves: a wired goroutine that blocks its thread in the kernel keeps the thread and not
   the processor, whether it announced that or not. */
/* fixed procs */
#include "threads.h"

#define ROUNDS 20

static int ends[2];

static void write_one(void *arg) {
    (void)arg;
    ASSERT_EQ(write(ends[1], "x", 1), 1);
}

/* With one processor the byte arrives only if the writer gets this processor. */
static void read_one(bool announced) {
    char byte;
    ASSERT_EQ(tuco_go(write_one, NULL), 0);
    if (announced) {
        tuco_blocking_enter();
    }
    ASSERT_EQ(read(ends[0], &byte, 1), 1);
    if (announced) {
        tuco_blocking_exit();
    }
}

static int run_main(void *arg) {
    tuco_lock_thread();
    for (int i = 0; i < ROUNDS; i++) {
        read_one(arg != NULL);
        ASSERT(on_first_thread());
        tuco_yield();
        ASSERT(on_first_thread());
    }
    test_await_alone();
    return 0;
}

TEST(announced) {
    test_setenv("TUCOPROCS", "1");
    ASSERT_EQ(pipe(ends), 0);
    ASSERT_EQ(tuco_run(run_main, ends), 0);
}

TEST(not_announced) {
    test_setenv("TUCOPROCS", "1");
    ASSERT_EQ(pipe(ends), 0);
    ASSERT_EQ(tuco_run(run_main, NULL), 0);
}
