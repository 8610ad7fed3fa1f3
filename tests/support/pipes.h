/* SPDX-License-Identifier: MIT */
/* pipes.h: calls that block the thread until a byte arrives, for tests of blocking. */
#ifndef TEST_PIPES_H
#define TEST_PIPES_H

#include "test.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

/* The ends as pipe() gives them: 0 to read from, 1 to write to. */
struct pipe_ends {
    int fd[2];
};

static inline void pipe_open(struct pipe_ends *p) {
    ASSERT_EQ(pipe2(p->fd, O_CLOEXEC), 0);
}

static inline void pipe_close(struct pipe_ends *p) {
    ASSERT_EQ(close(p->fd[0]), 0);
    ASSERT_EQ(close(p->fd[1]), 0);
}

/* Blocks the thread until there is a byte. Does not try again: a signal that interrupts
   the call fails the test. */
static inline void pipe_take(struct pipe_ends *p) {
    char byte;
    ASSERT_EQ(read(p->fd[0], &byte, 1), 1);
}

/* The pipe has room for what the tests put in it: never blocks. */
static inline void pipe_put(struct pipe_ends *p, int count) {
    for (int i = 0; i < count; i++) {
        ASSERT_EQ(write(p->fd[1], "x", 1), 1);
    }
}

static inline void use_procs(int procs) {
    char text[16];
    snprintf(text, sizeof(text), "%d", procs);
    test_setenv("TUCOPROCS", text);
}

#endif
