/* SPDX-License-Identifier: MIT */
/* children.h: for tests whose goroutines have child processes. */
#ifndef TEST_FORK_CHILDREN_H
#define TEST_FORK_CHILDREN_H

#include "test.h"

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static inline intptr_t wait_for_child(void *arg) {
    int status = -1;
    while (waitpid((pid_t)(intptr_t)arg, &status, 0) < 0) {
        ASSERT_EQ(errno, EINTR);
    }
    return status;
}

/* Waits for the end of a child, as an announced blocking call, and returns its status as
   waitpid() gives it. */
static inline int child_status(pid_t pid) {
    return (int)tuco_blocking(wait_for_child, (void *)(intptr_t)pid);
}

/* Requires that the child ended by itself, with that exit status. */
static inline void expect_exit(pid_t pid, int wanted) {
    int status = child_status(pid);
    ASSERT(WIFEXITED(status));
    ASSERT_EQ(WEXITSTATUS(status), wanted);
}

/* A runtime in a child. */
struct child_run {
    int (*main_fn)(void *signal_number);
    int number;
};

static inline void child_run_start(void *arg) {
    struct child_run *run = arg;
    // does not return if all is well
    ASSERT_EQ(tuco_run(run->main_fn, &run->number), 0);
}

/* Requires that a child whose main goroutine is main_fn(&number) ends by that signal, and
   prints nothing. */
static inline void expect_run_ends_by(int (*main_fn)(void *signal_number), int number) {
    static struct test_child child;
    struct child_run run = {main_fn, number};
    signal(number, SIG_DFL); // it may have been ignored from the start
    test_child_run(&child, child_run_start, &run);
    EXPECT_STATUS(&child, -1);
    ASSERT_EQ(child.signal, number);
    ASSERT_STR(child.text, "");
}

#endif
