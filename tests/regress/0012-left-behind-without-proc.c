/* SPDX-License-Identifier: MIT */
/* Proves: tuco_run returns although a goroutine waits in the kernel, also where /proc
   cannot be read. */
/*
 * Bug. When main has returned, tuco_run() waits for a goroutine that computes, and not
 * for one whose thread sleeps in the kernel. Which of the two it is was asked of /proc;
 * if that was not there, or no descriptor was left to read it with, it was taken as
 * awake, and tuco_run() waited for ever.
 *
 * Fix. is_stuck() counts the looks that told nothing, and gives up after a hundred.
 *
 * Fails without it: the goroutine below waits for a byte that nobody writes.
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
    test_spin(&waiting, 1); // it is another thread's
    return 3;
}

TEST(left_behind_without_proc) {
    ASSERT_EQ(pipe(ends), 0);
    test_setenv("TUCOPROCS", "2");
    test_fault_plan(OS_FAULT_READ, 1, TEST_FAULT_ALWAYS, EMFILE);
    ASSERT_EQ(tuco_run(run_main, NULL), 3);
}
