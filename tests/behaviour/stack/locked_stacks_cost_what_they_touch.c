/* SPDX-License-Identifier: MIT */
/* Proves: after mlockall(2) a goroutine costs the pages of its stack that it touches, and
   those pages are locked. */
/* fixed procs */
/* not under asan */
/* not under tsan */
/* not under race */
/* not under qemu */
#include "test.h"

#include <errno.h>
#include <sys/mman.h>

#define GOROUTINES 1000
#define EACH_KIB   20 /* a stack is 256 KiB */
#define PAGE_BYTES ((uintptr_t)4096)

static tuco_wg started;
static tuco_wg ended;
static tuco_chan *gate;

static void lock_memory(void) {
    if (mlockall(MCL_CURRENT | MCL_FUTURE) != 0) {
        SKIP("mlockall is refused here.");
    }
}

/* The kernel refuses this advice for locked memory only. */
static bool is_locked(void *address) {
    void *page = (void *)((uintptr_t)address & ~(PAGE_BYTES - 1));
    return madvise(page, PAGE_BYTES, MADV_COLD) != 0 && errno == EINVAL;
}

static void wait_at_gate(void *arg) {
    (void)arg;
    char local = 1;
    ASSERT(is_locked(&local));
    tuco_wg_done(&started);
    tuco_chan_recv(gate, NULL);
    tuco_wg_done(&ended);
}

static void round_of_goroutines(void) {
    gate = tuco_chan_make(0, 0);
    ASSERT(gate != NULL);
    tuco_wg_add(&started, GOROUTINES);
    tuco_wg_add(&ended, GOROUTINES);
    long before = test_resident_kib();
    for (int i = 0; i < GOROUTINES; i++) {
        ASSERT_EQ(tuco_go(wait_at_gate, NULL), 0);
    }
    tuco_wg_wait(&started);
    ASSERT_LT((test_resident_kib() - before) / GOROUTINES, EACH_KIB);
    tuco_chan_close(gate);
    tuco_wg_wait(&ended);
    tuco_chan_unref(gate);
}

static int run_two_rounds(void *arg) {
    (void)arg;
    round_of_goroutines();
    round_of_goroutines();
    return 0;
}

/* Few threads: the kernel populates their stacks. */
#define PROCS "4"

TEST(locked_before_the_start) {
    test_setenv("TUCOPROCS", PROCS);
    lock_memory();
    RUN(run_two_rounds);
}

static int lock_and_run(void *arg) {
    lock_memory();
    return run_two_rounds(arg);
}

TEST(locked_by_a_goroutine) {
    test_setenv("TUCOPROCS", PROCS);
    RUN(lock_and_run);
}
