/* SPDX-License-Identifier: MIT */
/* Proves: the runtime's handlers do not run on an alternate stack of the program that is
   too small for them, and the program gets it back afterwards. */
/*
 * Bug. A thread that had an alternate signal stack when it called tuco_run() kept it,
 * whatever its size. The kernel allows one with room for its own frame and no more: the
 * first preemption of a goroutine there wrote below it.
 *
 * Fix. os_signal_stack_install() replaces a stack that is too small, and _remove restores
 * it.
 *
 * Fails without it: main is interrupted on the thread that called tuco_run(), which
 * writes to the small stack or to the inaccessible page below it.
 */
/* fixed procs */
/* not under tsan */
#include "ran.h"

#include <signal.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>

#define PAGE   ((size_t)4096)
#define ROOM   (16 * PAGE)
#define FILLED 0xa5

static int compute_main(void *arg) {
    (void)arg;
    tuco_lock_thread();
    ASSERT_EQ(tuco_go(ran_set, NULL), 0);
    test_spin(&ran, 1); // it was preempted by a signal
    return 0;
}

/* The smallest stack that the kernel accepts, above a page that faults. */
static stack_t smallest(void) {
    size_t bytes = getauxval(AT_MINSIGSTKSZ);
    bytes = bytes > 2048 ? bytes : 2048;
    size_t open_bytes = (bytes + PAGE - 1) / PAGE * PAGE;
    char *room = mmap(NULL, ROOM, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ASSERT(room != MAP_FAILED);
    char *top = room + ROOM;
    ASSERT_EQ(mprotect(top - open_bytes, open_bytes, PROT_READ | PROT_WRITE), 0);
    memset(top - bytes, FILLED, bytes);
    return (stack_t){.ss_sp = top - bytes, .ss_size = bytes};
}

TEST(small_signal_stack) {
    stack_t small = smallest();
    stack_t before;
    stack_t after;
    ASSERT_EQ(sigaltstack(&small, &before), 0);
    test_setenv("TUCOPROCS", "1");
    RUN(compute_main);
    ASSERT_EQ(sigaltstack(NULL, &after), 0);
    ASSERT(after.ss_sp == small.ss_sp && after.ss_size == small.ss_size);
    for (size_t i = 0; i < small.ss_size; i++) {
        ASSERT_EQ(((unsigned char *)small.ss_sp)[i], FILLED);
    }
    ASSERT_EQ(sigaltstack(&before, NULL), 0); // a sanitizer's, perhaps
}
