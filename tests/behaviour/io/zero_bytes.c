/* SPDX-License-Identifier: MIT */
/* Proves: a read of no bytes does not wait, and a write of no bytes succeeds. An empty
   datagram is received as 0 bytes and is no end. A datagram that does not fit the buffer
   is cut off without an error (NP-18). */
#include "net.h"

static void nothing_is_not_waited_for(net_kind *kind) {
    struct net_pair p = net_open(kind);
    struct iovec empty[3] = {{NULL, 0}, {NULL, 0}, {NULL, 0}};
    ASSERT_EQ(tuco_fd_read(p.in, NULL, 0), 0);
    ASSERT_EQ(tuco_fd_readv(p.in, NULL, 0), 0);
    ASSERT_EQ(tuco_fd_readv(p.in, empty, 3), 0);
    ASSERT_EQ(tuco_fd_write(p.out, NULL, 0), 0);
    ASSERT_EQ(tuco_fd_writev(p.out, NULL, 0), 0);
    ASSERT_EQ(tuco_fd_writev(p.out, empty, 3), 0);
    ASSERT_EQ(tuco_fd_write_some(p.out, NULL, 0), 0);
    ASSERT_EQ(tuco_fd_writev_some(p.out, NULL, 0), 0);
    ASSERT_EQ(tuco_fd_writev_some(p.out, empty, 3), 0);
    net_say(p.out, "x");
    ASSERT_EQ(tuco_fd_read(p.in, NULL, 0), 0); // also if there is something
    net_hear(p.in, "x");
    net_close(&p);
}

static void empty_datagrams(void) {
    char bytes[16];
    struct iovec iov = {.iov_base = bytes, .iov_len = sizeof bytes};
    struct net_pair p = net_open(net_udp);
    ASSERT_EQ(tuco_fd_write(p.out, NULL, 0), 0);
    ASSERT_EQ(tuco_fd_sendto(p.out, NULL, 0, NULL, 0), 0);
    ASSERT_EQ(tuco_fd_writev(p.out, &(struct iovec){.iov_len = 0}, 1), 0);
    net_say(p.out, "not the end");
    ASSERT_EQ(tuco_fd_read(p.in, bytes, sizeof bytes), 0);
    ASSERT_EQ(tuco_fd_recvfrom(p.in, bytes, sizeof bytes, NULL, NULL), 0);
    ASSERT_EQ(tuco_fd_readv(p.in, &iov, 1), 0);
    ASSERT_EQ(tuco_fd_read(p.in, bytes, sizeof bytes), strlen("not the end"));
    net_close(&p);
}

static void large_datagrams(void) {
    char bytes[3];
    struct iovec iov = {.iov_base = bytes, .iov_len = sizeof bytes};
    struct net_pair p = net_open(net_udp);
    for (int i = 0; i < 4; i++) {
        net_say(p.out, "too long for it");
    }
    net_say(p.out, "end");
    ASSERT_EQ(tuco_fd_read(p.in, bytes, sizeof bytes), sizeof bytes);
    ASSERT_EQ(tuco_fd_readv(p.in, &iov, 1), sizeof bytes);
    ASSERT_EQ(tuco_fd_recvfrom(p.in, bytes, sizeof bytes, NULL, NULL), sizeof bytes);
    ASSERT_EQ(tuco_fd_recvfrom(p.in, NULL, 0, NULL, NULL), 0);
    net_hear(p.in, "end");
    net_close(&p);
}

static int run_main(void *arg) {
    net_kind *kinds[] = {net_socketpair, net_tcp, net_pipe, net_fifo, net_terminal};
    (void)arg;
    for (int i = 0; i < 5; i++) {
        nothing_is_not_waited_for(kinds[i]);
    }
    empty_datagrams();
    large_datagrams();
    return 0;
}

TEST(zero_bytes) {
    RUN(run_main);
}
