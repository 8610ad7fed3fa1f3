/* SPDX-License-Identifier: MIT */
/* Proves: between two calls of the library a goroutine stays on its thread and has it for
   itself: thread-local variables and errno keep their values, interrupted or not. */
/* fixed procs */
#include "hogs.h"

#include <errno.h>
#include <unistd.h>

#define HOGS   4
#define ROUNDS 5

static tuco_wg wg;
static __thread volatile uint64_t local;

/* Out of line, so that the compiler keeps no thread-local address across the yields. */
__attribute__((noinline)) static void use_thread(int mine) {
    pid_t thread = gettid();
    volatile uint64_t *address = &local;
    uint64_t start = local;
    uint64_t steps = 0;
    int before = atomic_load(&turns);
    errno = mine;
    for (; atomic_load(&turns) - before < 3; steps++) {
        local = local + 1;
        *address = *address + 1;
    }
    ASSERT_EQ(errno, mine);
    ASSERT_EQ(local, start + 2 * steps);
    ASSERT_EQ(gettid(), thread);
    ASSERT(&local == address);
}

static void hog(void *arg) {
    for (int i = 0; i < ROUNDS; i++) {
        use_thread(1 + (int)(intptr_t)arg);
        tuco_yield();
    }
}

static int run_main(void *arg) {
    (void)arg;
    turns_start();
    for (intptr_t i = 0; i < HOGS; i++) {
        ASSERT_EQ(tuco_wg_go(&wg, hog, (void *)i), 0);
    }
    tuco_wg_wait(&wg);
    turns_stop();
    return 0;
}

TEST(hog_uses_thread_locals) {
    hogs_use(1);
    RUN(run_main);
}
