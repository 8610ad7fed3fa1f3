/* SPDX-License-Identifier: MIT */
/* Proves: the deadlines of a socket hold after another user of the socket has made it
   blocking, for every call that reads or writes. */
#include "net.h"

#define SOON (20 * TUCO_MILLISECOND)

static struct net_pair p;

static ssize_t read_bytes(void) {
    char byte;
    return tuco_fd_read(p.in, &byte, 1);
}

static ssize_t read_pieces(void) {
    char byte;
    struct iovec iov = {.iov_base = &byte, .iov_len = 1};
    return tuco_fd_readv(p.in, &iov, 1);
}

static ssize_t receive(void) {
    char byte;
    return tuco_fd_recvfrom(p.in, &byte, 1, NULL, NULL);
}

static char much[NET_TOO_MUCH];

static ssize_t write_bytes(void) {
    return tuco_fd_write(p.out, much, sizeof much);
}

static ssize_t write_pieces(void) {
    struct iovec iov = {.iov_base = much, .iov_len = sizeof much};
    return tuco_fd_writev(p.out, &iov, 1);
}

/* A stream accepts a part of the bytes: so this writes until it is full. */
static ssize_t write_some(void) {
    ssize_t n;
    while ((n = tuco_fd_write_some(p.out, much, sizeof much)) > 0) {
    }
    return n;
}

static ssize_t write_some_pieces(void) {
    struct iovec iov = {.iov_base = much, .iov_len = sizeof much};
    ssize_t n;
    while ((n = tuco_fd_writev_some(p.out, &iov, 1)) > 0) {
    }
    return n;
}

static ssize_t send_much(void) {
    ssize_t n;
    while ((n = tuco_fd_sendto(p.out, much, sizeof much, NULL, 0)) > 0) {
    }
    return n;
}

static void make_blocking(tuco_fd *f) {
    int flags = fcntl(tuco_fd_raw(f), F_GETFL);
    ASSERT_EQ(fcntl(tuco_fd_raw(f), F_SETFL, flags & ~O_NONBLOCK), 0);
}

static int run_main(void *arg) {
    ssize_t (*ways[])(void) = {read_bytes,   read_pieces, receive,    write_bytes,
                               write_pieces, send_much,   write_some, write_some_pieces};
    (void)arg;
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        p = net_open(i % 2 == 0 ? net_tcp : net_socketpair);
        make_blocking(p.in);
        make_blocking(p.out);
        ASSERT_EQ(tuco_fd_set_deadline(p.in, tuco_deadline(SOON)), 0);
        ASSERT_EQ(tuco_fd_set_deadline(p.out, tuco_deadline(SOON)), 0);
        ASSERT_EQ(ways[i](), -ETIMEDOUT);
        net_close(&p);
    }
    return 0;
}

TEST(others_make_it_blocking) {
    RUN(run_main);
}
