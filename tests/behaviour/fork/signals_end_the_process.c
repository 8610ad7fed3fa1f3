/* SPDX-License-Identifier: MIT */
/* Proves: a process with goroutines ends by a signal that it does not handle, and a
   signal that is ignored by default has no effect. */
/* fixed procs */
#include "children.h"

static tuco_wg never;

static void wait_for_ever(void *arg) {
    (void)arg;
    tuco_wg_wait(&never);
}

static void send_harmless(void) {
    for (int i = 0; i < 100; i++) {
        ASSERT_EQ(kill(getpid(), SIGCHLD), 0);
        ASSERT_EQ(kill(getpid(), SIGURG), 0);
        ASSERT_EQ(kill(getpid(), SIGWINCH), 0);
        tuco_yield();
    }
}

/* Any thread may get the last signal; this thread must not end before. */
static int end_main(void *arg) {
    tuco_wg_add(&never, 1);
    for (int i = 0; i < 10; i++) {
        ASSERT_EQ(tuco_go(wait_for_ever, NULL), 0);
    }
    send_harmless();
    ASSERT_EQ(kill(getpid(), *(int *)arg), 0);
    while (true) {
        pause();
    }
    return 0;
}

TEST(signals_end_the_process) {
    test_setenv("TUCOPROCS", "2");
    expect_run_ends_by(end_main, SIGTERM);
    expect_run_ends_by(end_main, SIGINT);
    expect_run_ends_by(end_main, SIGUSR1);
}
