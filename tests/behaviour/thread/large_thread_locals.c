/* SPDX-License-Identifier: MIT */
/* Proves: a program with large thread-local variables, which the C library allocates on
   each thread's stack, can run goroutines on all its threads. */
#include "test.h"

#define WORKERS 8

static __thread volatile char large[(size_t)1 << 20];
static atomic_int met;

/* Wired and there at the same time, so that each has a thread of its own. */
static void use_locals(void *arg) {
    (void)arg;
    tuco_lock_thread();
    for (size_t i = 0; i < sizeof large; i += 4096) {
        large[i]++;
    }
    atomic_fetch_add(&met, 1);
    while (atomic_load(&met) < WORKERS) {
        tuco_yield();
    }
    tuco_unlock_thread();
}

static int run_main(void *arg) {
    (void)arg;
    tuco_wg wg = {0};
    for (int i = 0; i < WORKERS; i++) {
        ASSERT_EQ(tuco_wg_go(&wg, use_locals, NULL), 0);
    }
    tuco_wg_wait(&wg);
    return 0;
}

TEST(large_thread_locals) {
    RUN(run_main);
}
