/* SPDX-License-Identifier: MIT */
/* Reading and writing through handles: the system calls of each operation. */
#include "net/fd.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

/* A write continues until all bytes are written, and holds the fdmutex throughout. A write
   of some is one successful call to the kernel, whose result is the caller's. writev must
   not change the caller's iovec array: after a short write it copies this many pieces at a
   time, so that it can cut the first. */
#define COPIED_PIECES 16

struct buffer {
    char *bytes;
    size_t size;
    size_t done; /* bytes written */
};

struct pieces {
    const struct iovec *iov;
    int count;    /* pieces left, the first perhaps partly written */
    size_t skip;  /* bytes written of the first */
    int64_t done; /* bytes written in total */
};

struct message {
    void *bytes;
    size_t size;
    struct sockaddr *from;
    tuco_socklen *from_bytes;
    const struct sockaddr *to;
    tuco_socklen to_bytes;
};

/* One buffer */

/* See 'Drained' in fd.c. */
static int64_t note_read(tuco_fd *f, int64_t n, size_t room) {
    f->drained = f->kind == OS_FD_TCP && n > 0 && (size_t)n < room;
    return n;
}

static int64_t read_step(tuco_fd *f, void *raw) {
    const struct buffer *b = raw;
    return note_read(f, os_fd_read(f->number, f->kind, b->bytes, b->size), b->size);
}

/* Writes what is left, in one call to the kernel. Returns how much of it was accepted. */
static int64_t write_some_step(tuco_fd *f, void *raw) {
    const struct buffer *b = raw;
    size_t rest = b->size - b->done;
    int64_t n = os_fd_write(f->number, f->kind, b->bytes + b->done, rest);
    /* 0: the kernel accepted nothing and reported no error */
    return unlikely(n == 0 && rest > 0) ? -EIO : n;
}

/* Calls the kernel at least once, because an empty message is a message. */
static int64_t write_step(tuco_fd *f, void *raw) {
    struct buffer *b = raw;
    int error;
    do {
        int64_t n = write_some_step(f, b);
        if (n < 0) {
            return n;
        }
        b->done += (size_t)n;
        if (likely(b->done == b->size)) {
            return (int64_t)b->done;
        }
        error = rt_fd_look_again(f);
    } while (error == 0);
    return error;
}

/* Several pieces */

static int64_t readv_step(tuco_fd *f, void *raw) {
    const struct pieces *p = raw;
    return note_read(f, os_fd_readv(f->number, f->kind, p->iov, p->count),
                     0 /* unknown: not drained */);
}

static void skip_empty(struct pieces *p) {
    while (p->count > 0 && p->iov->iov_len == p->skip) {
        p->iov++;
        p->count--;
        p->skip = 0;
    }
}

static void advance(struct pieces *p, size_t n) {
    p->done += (int64_t)n;
    while (n > 0) {
        size_t rest = p->iov->iov_len - p->skip;
        size_t part = n < rest ? n : rest;
        p->skip += part;
        n -= part;
        skip_empty(p);
    }
}

static int64_t write_uncut(tuco_fd *f, const struct pieces *p) {
    /* A message cannot be sent in parts: the kernel refuses one with too many pieces. */
    bool all = f->kind == OS_FD_MESSAGES || p->count < OS_IOV_MAX;
    return os_fd_writev(f->number, f->kind, p->iov, all ? p->count : OS_IOV_MAX);
}

static int64_t write_cut(tuco_fd *f, const struct pieces *p) {
    struct iovec copy[COPIED_PIECES];
    int count = p->count < COPIED_PIECES ? p->count : COPIED_PIECES;
    memcpy(copy, p->iov, (size_t)count * sizeof copy[0]);
    copy[0].iov_base = (char *)copy[0].iov_base + p->skip;
    copy[0].iov_len -= p->skip;
    return os_fd_writev(f->number, f->kind, copy, count);
}

/* As write_some_step(). The pieces of a stream are not empty. */
static int64_t writev_some_step(tuco_fd *f, void *raw) {
    const struct pieces *p = raw;
    int64_t n = p->skip == 0 ? write_uncut(f, p) : write_cut(f, p);
    return unlikely(n == 0 && f->kind != OS_FD_MESSAGES) ? -EIO : n;
}

static int64_t writev_step(tuco_fd *f, void *raw) {
    struct pieces *p = raw;
    int error;
    do {
        int64_t n = writev_some_step(f, p);
        if (n < 0 || f->kind == OS_FD_MESSAGES) {
            return n;
        }
        advance(p, (size_t)n);
        if (likely(p->count == 0)) {
            return p->done;
        }
        error = rt_fd_look_again(f);
    } while (error == 0);
    return error;
}

/* Whether the sum of the sizes fits into the return value. */
static bool sizes_fit(const struct iovec *iov, int count) {
    ssize_t sum = 0;
    for (int i = 0; i < count; i++) {
        if (__builtin_add_overflow(sum, iov[i].iov_len, &sum)) {
            return false;
        }
    }
    return true;
}

/* Messages with addresses */

static int64_t recvfrom_step(tuco_fd *f, void *raw) {
    const struct message *m = raw;
    int64_t n = os_fd_recvfrom(f->number, m->bytes, m->size, m->from, m->from_bytes);
    return note_read(f, n, m->size);
}

static int64_t sendto_step(tuco_fd *f, void *raw) {
    const struct message *m = raw;
    return os_fd_sendto(f->number, m->bytes, m->size, m->to, m->to_bytes);
}

/* The result of reading or writing zero bytes: 0, or -EBADF if f is closed. */
static ssize_t check_open(tuco_fd *f) {
    int result = rt_fd_use(f);
    if (result == 0) {
        (void)rt_fd_unuse(f); /* as in rt_fd_perform() */
    }
    return result;
}

static int64_t write_pieces(tuco_fd *f, const struct iovec *iov, int n, rt_fd_step *step,
                            const void *pc) {
    struct pieces p = {.iov = iov, .count = n};
    if (n < 0 || !sizes_fit(iov, n)) {
        return -EINVAL;
    }
    if (f->kind != OS_FD_MESSAGES) {
        skip_empty(&p);
        if (p.count == 0) {
            return check_open(f);
        }
    }
    return rt_fd_perform(f, RT_POLLWAY_WRITE, step, &p, pc);
}

/* Public */

ssize_t tuco_fd_read(tuco_fd *f, void *buf, size_t n) {
    RT_FD_CHECK(f);
    struct buffer b = {.bytes = buf, .size = n};
    if (unlikely(n == 0)) {
        return check_open(f);
    }
    return rt_fd_perform(f, RT_POLLWAY_READ, read_step, &b, __builtin_return_address(0));
}

ssize_t tuco_fd_write(tuco_fd *f, const void *buf, size_t n) {
    RT_FD_CHECK(f);
    struct buffer b = {.bytes = (char *)buf, .size = n};
    return rt_fd_perform(f, RT_POLLWAY_WRITE, write_step, &b,
                         __builtin_return_address(0));
}

ssize_t tuco_fd_write_some(tuco_fd *f, const void *buf, size_t n) {
    RT_FD_CHECK(f);
    struct buffer b = {.bytes = (char *)buf, .size = n};
    return rt_fd_perform(f, RT_POLLWAY_WRITE, write_some_step, &b,
                         __builtin_return_address(0));
}

ssize_t tuco_fd_readv(tuco_fd *f, const struct iovec *iov, int n) {
    RT_FD_CHECK(f);
    struct pieces p = {.iov = iov, .count = n < OS_IOV_MAX ? n : OS_IOV_MAX};
    if (n < 0 || !sizes_fit(iov, p.count)) {
        return -EINVAL;
    }
    if (f->kind != OS_FD_MESSAGES) {
        skip_empty(&p);
        if (p.count == 0) {
            return check_open(f); /* 0, which does not mean the end of the file */
        }
    }
    return rt_fd_perform(f, RT_POLLWAY_READ, readv_step, &p, __builtin_return_address(0));
}

ssize_t tuco_fd_writev(tuco_fd *f, const struct iovec *iov, int n) {
    RT_FD_CHECK(f);
    return write_pieces(f, iov, n, writev_step, __builtin_return_address(0));
}

ssize_t tuco_fd_writev_some(tuco_fd *f, const struct iovec *iov, int n) {
    RT_FD_CHECK(f);
    return write_pieces(f, iov, n, writev_some_step, __builtin_return_address(0));
}

ssize_t tuco_fd_recvfrom(tuco_fd *f, void *buf, size_t n, struct sockaddr *from,
                         tuco_socklen *len) {
    RT_FD_CHECK(f);
    struct message m = {.bytes = buf, .size = n, .from = from, .from_bytes = len};
    return rt_fd_perform(f, RT_POLLWAY_READ, recvfrom_step, &m,
                         __builtin_return_address(0));
}

ssize_t tuco_fd_sendto(tuco_fd *f, const void *buf, size_t n, const struct sockaddr *to,
                       tuco_socklen len) {
    RT_FD_CHECK(f);
    struct message m = {.bytes = (void *)buf, .size = n, .to = to, .to_bytes = len};
    return rt_fd_perform(f, RT_POLLWAY_WRITE, sendto_step, &m,
                         __builtin_return_address(0));
}
