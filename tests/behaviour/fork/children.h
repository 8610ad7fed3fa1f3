/* SPDX-License-Identifier: MIT */
/* children.h: for tests whose goroutines have child processes. */
#ifndef TEST_FORK_CHILDREN_H
#define TEST_FORK_CHILDREN_H

#include "test.h"

#include <errno.h>
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

#endif
