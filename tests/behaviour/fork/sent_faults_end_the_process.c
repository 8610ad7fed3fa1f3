/* SPDX-License-Identifier: MIT */
/* Proves: a process with goroutines that is sent SIGSEGV or SIGBUS by kill() ends by that
   signal, although no instruction has faulted. */
/* fixed procs */
/* not under asan */
/* not under tsan */
/* not under qemu */
#include "children.h"

/* Any thread may get the signal; this thread must not end before. */
static int end_main(void *arg) {
    ASSERT_EQ(kill(getpid(), *(int *)arg), 0);
    while (true) {
        pause();
    }
    return 0;
}

TEST(sent_faults_end_the_process) {
    test_setenv("TUCOPROCS", "2");
    expect_run_ends_by(end_main, SIGSEGV);
    expect_run_ends_by(end_main, SIGBUS);
}
