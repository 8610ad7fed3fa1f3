/* SPDX-License-Identifier: MIT */
/* Proves: with TUCODEBUG=stackcheck=0 a goroutine may wait on a stack that the program has
   made; without it the wait is reported as a stack overflow. */
/* not under asan */
/* not under tsan */
#include "test.h"
#include <sys/mman.h>
#include <ucontext.h>

#define STACK_BYTES ((size_t)64 * 1024)

static ucontext_t goroutine;
static ucontext_t coroutine;
static int waits;

static void wait_twice(void) {
    for (int i = 0; i < 2; i++) {
        tuco_sleep(1);
        waits++;
    }
}

/* At an address below all stacks of goroutines. */
static int coroutine_main(void *arg) {
    (void)arg;
    void *low = mmap((void *)((uintptr_t)1 << 32), STACK_BYTES, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    ASSERT(low != MAP_FAILED);
    ASSERT_EQ(getcontext(&coroutine), 0);
    coroutine.uc_stack.ss_sp = low;
    coroutine.uc_stack.ss_size = STACK_BYTES;
    coroutine.uc_link = &goroutine;
    makecontext(&coroutine, wait_twice, 0);
    ASSERT_EQ(swapcontext(&goroutine, &coroutine), 0);
    return 0;
}

TEST(allowed) {
    test_setenv("TUCODEBUG", "stackcheck=0");
    RUN(coroutine_main);
    ASSERT_EQ(waits, 2);
}

TEST(reported) {
    RUN_DIES(coroutine_main, "fatal error: stack overflow");
}
