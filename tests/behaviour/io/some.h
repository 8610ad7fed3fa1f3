/* SPDX-License-Identifier: MIT */
/* some.h: writes of some bytes after others, from one buffer or several. */
#ifndef TEST_SOME_H
#define TEST_SOME_H

#include "net.h"

typedef ssize_t some_fn(tuco_fd *f, unsigned char *bytes, size_t size);

static inline ssize_t some_of_one_buffer(tuco_fd *f, unsigned char *bytes, size_t size) {
    return tuco_fd_write_some(f, bytes, size);
}

static inline ssize_t some_of_several(tuco_fd *f, unsigned char *bytes, size_t size) {
    size_t cut = size / 1000;
    struct iovec iov[] = {{NULL, 0}, {bytes, cut}, {NULL, 0}, {bytes + cut, size - cut}};
    return tuco_fd_writev_some(f, iov, 4);
}

/* A long text, and how much of it is written. */
struct some {
    some_fn *way;
    tuco_fd *f;
    size_t written;
    unsigned char text[NET_TOO_MUCH];
};

/* Writes some of the rest. Returns 0 or an error. */
static inline int some_write(struct some *s) {
    size_t rest = sizeof s->text - s->written;
    ssize_t n = s->way(s->f, s->text + s->written, rest);
    if (n < 0) {
        return (int)n;
    }
    ASSERT_GT(n, 0);
    ASSERT_LE(n, rest);
    s->written += (size_t)n;
    return 0;
}

/* Writes to the end, or to an error, which it returns. */
static inline int some_write_on(struct some *s) {
    int error = 0;
    while (s->written < sizeof s->text && error == 0) {
        error = some_write(s);
    }
    return error;
}

#endif
