/* SPDX-License-Identifier: MIT */
/* Proves: a process with goroutines that is sent SIGSEGV or SIGBUS by kill() ends by that
   signal, although no instruction has faulted. */
/* fixed procs */
/* not under asan */
/* not under tsan */
/* not under qemu */
#include "children.h"

#include <signal.h>

/* Any thread may get the signal; this thread must not end before. */
static int end_main(void *arg) {
    ASSERT_EQ(kill(getpid(), *(int *)arg), 0);
    while (true) {
        pause();
    }
    return 0;
}

static void run_end(void *arg) {
    ASSERT_EQ(tuco_run(end_main, arg), 0); // it does not return if all is well
}

static void expect_end_by(int number) {
    static struct test_child child;
    test_child_run(&child, run_end, &number);
    EXPECT_STATUS(&child, -1);
    ASSERT_EQ(child.signal, number);
    ASSERT_STR(child.text, "");
}

TEST(sent_faults_end_the_process) {
    test_setenv("TUCOPROCS", "2");
    expect_end_by(SIGSEGV);
    expect_end_by(SIGBUS);
}
