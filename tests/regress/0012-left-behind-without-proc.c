/* SPDX-License-Identifier: MIT */
/* Proves: tuco_run returns although a goroutine waits in the kernel, even if /proc cannot
   be read. */
/*
 * Bug. When main has returned, tuco_run() waits for a goroutine that computes, but not
 * for one whose thread sleeps in the kernel. It read /proc to find out which. If /proc
 * was missing, or no descriptor was left to read it, the thread counted as awake, and
 * tuco_run() waited for ever.
 *
 * Fix. is_stuck() reads no file: it counts the checks at which the thread has used no CPU
 * time, and stops waiting after five.
 *
 * Fails without it: the goroutine below waits for a byte that is never written.
 */
/* fixed procs */
#include "fault.h"
#include "test.h"

#include <errno.h>
#include <unistd.h>

static int ends[2];
static atomic_int waiting;

static void wait_in_kernel(void *arg) {
    (void)arg;
    char byte;
    atomic_store(&waiting, 1);
    ASSERT_EQ(read(ends[0], &byte, 1), 1); // never returns
}

static int run_main(void *arg) {
    (void)arg;
    ASSERT_EQ(tuco_go(wait_in_kernel, NULL), 0);
    test_spin(&waiting, 1); // another thread runs it
    return 3;
}

TEST(left_behind_without_proc) {
    ASSERT_EQ(pipe(ends), 0);
    test_setenv("TUCOPROCS", "2");
    test_fault_plan(OS_FAULT_READ, 1, TEST_FAULT_ALWAYS, EMFILE);
    ASSERT_EQ(tuco_run(run_main, NULL), 3);
}
