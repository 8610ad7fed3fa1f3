/* SPDX-License-Identifier: MIT */
/* Proves: tuco_exit on a plain thread ends the process with a message. */
#include "test.h"

static void exit_here(void *arg) {
    (void)arg;
    tuco_exit();
}

static int in_thread_main(void *arg) {
    (void)arg;
    test_threads_run(1, exit_here, NULL);
    return 0;
}

TEST(exit_on_foreign_thread) {
    RUN_DIES(in_thread_main, "tuco_exit");
    EXPECT_DEATH(exit_here, NULL, "tuco_exit");
}
