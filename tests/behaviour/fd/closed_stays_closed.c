/* SPDX-License-Identifier: MIT */
/* Proves: every call on a closed handle returns -EBADF, a second and third close too, and
   leaves alone the file that has the number since (NP-13). */
#include "net.h"

static void expect_refusals(tuco_fd *f) {
    char byte = 'x';
    struct iovec iov = {.iov_base = &byte, .iov_len = 1};
    ASSERT_EQ(tuco_fd_read(f, &byte, 1), -EBADF);
    ASSERT_EQ(tuco_fd_read(f, &byte, 0), -EBADF);
    ASSERT_EQ(tuco_fd_readv(f, &iov, 1), -EBADF);
    ASSERT_EQ(tuco_fd_readv(f, &iov, 0), -EBADF);
    ASSERT_EQ(tuco_fd_recvfrom(f, &byte, 1, NULL, NULL), -EBADF);
    ASSERT_EQ(tuco_fd_write(f, &byte, 1), -EBADF);
    ASSERT_EQ(tuco_fd_write(f, &byte, 0), -EBADF);
    ASSERT_EQ(tuco_fd_writev(f, &iov, 1), -EBADF);
    ASSERT_EQ(tuco_fd_writev(f, &iov, 0), -EBADF);
    ASSERT_EQ(tuco_fd_write_some(f, &byte, 1), -EBADF);
    ASSERT_EQ(tuco_fd_write_some(f, &byte, 0), -EBADF);
    ASSERT_EQ(tuco_fd_writev_some(f, &iov, 1), -EBADF);
    ASSERT_EQ(tuco_fd_writev_some(f, &iov, 0), -EBADF);
    ASSERT_EQ(tuco_fd_sendto(f, &byte, 1, NULL, 0), -EBADF);
    ASSERT_EQ(tuco_fd_set_deadline(f, TUCO_NEVER), -EBADF);
    ASSERT_EQ(tuco_fd_set_read_deadline(f, 0), -EBADF);
    ASSERT_EQ(tuco_fd_set_write_deadline(f, 0), -EBADF);
    ASSERT_EQ(tuco_fd_shutdown(f, SHUT_RDWR), -EBADF);
    ASSERT_EQ(tuco_fd_raw(f), -EBADF);
}

/* The file that has the number now must be neither written to nor closed. */
static void close_thrice(net_kind *kind) {
    struct net_pair p = net_open(kind);
    int fd = tuco_fd_raw(p.out);
    for (int i = 0; i < 3; i++) {
        tuco_fd_ref(p.out);
    }
    ASSERT_EQ(tuco_fd_close(p.out), 0);
    int other[2];
    ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, other), 0);
    ASSERT(other[0] == fd || other[1] == fd);
    ASSERT_EQ(tuco_fd_close(p.out), -EBADF);
    expect_refusals(p.out);
    ASSERT_EQ(tuco_fd_close(p.out), -EBADF);
    tuco_fd_unref(p.out);
    ASSERT_EQ(read(other[0] == fd ? other[1] : other[0], &(char){0}, 1), -1);
    ASSERT_EQ(close(other[0]), 0);
    ASSERT_EQ(close(other[1]), 0);
    ASSERT_EQ(tuco_fd_close(p.in), 0);
}

static void close_all(void *arg) {
    net_kind *kinds[] = {net_tcp, net_socketpair, net_pipe, net_udp};
    (void)arg;
    for (int i = 0; i < 4; i++) {
        close_thrice(kinds[i]);
    }
}

static int run_main(void *arg) {
    close_all(arg);
    return 0;
}

TEST(closed_stays_closed) {
    RUN(run_main);
}

TEST(closed_stays_closed_without_runtime) {
    close_all(NULL);
}
