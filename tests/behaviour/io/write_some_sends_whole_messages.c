/* SPDX-License-Identifier: MIT */
/* Proves: on a socket that keeps message boundaries, tuco_fd_write_some() sends one
   message, whole or not at all, and also an empty message. tuco_fd_writev_some() accepts
   as many buffers as tuco_fd_writev(). */
#include "net.h"

#define PIECES_MAX 1024
#define BYTES      3000
#define TOO_LARGE  (1024 * 1024)

static unsigned char text[TOO_LARGE];
static unsigned char heard[BYTES];
static struct iovec iov[PIECES_MAX + 1];

static void send_each(net_kind *kind) {
    struct net_pair p = net_open(kind);
    struct iovec empty = {.iov_len = 0}; // qemu sends no message of no buffers at all
    ASSERT_EQ(tuco_fd_write_some(p.out, text, BYTES), BYTES);
    ASSERT_EQ(tuco_fd_write_some(p.out, NULL, 0), 0);
    ASSERT_EQ(tuco_fd_writev_some(p.out, iov, PIECES_MAX), PIECES_MAX);
    ASSERT_EQ(tuco_fd_writev_some(p.out, &empty, 1), 0);
    ASSERT_EQ(tuco_fd_writev_some(p.out, iov, 7), 7);
    ASSERT_EQ(tuco_fd_read(p.in, heard, sizeof heard), BYTES);
    net_expect_numbered(heard, BYTES, 0);
    ASSERT_EQ(tuco_fd_read(p.in, heard, sizeof heard), 0);
    ASSERT_EQ(tuco_fd_read(p.in, heard, sizeof heard), PIECES_MAX);
    net_expect_numbered(heard, PIECES_MAX, 0);
    ASSERT_EQ(tuco_fd_read(p.in, heard, sizeof heard), 0);
    ASSERT_EQ(tuco_fd_read(p.in, heard, sizeof heard), 7);
    net_close(&p);
}

static void refuse_too_large(net_kind *kind) {
    struct net_pair p = net_open(kind);
    ASSERT_EQ(tuco_fd_write_some(p.out, text, sizeof text), -EMSGSIZE);
    ASSERT_EQ(tuco_fd_writev_some(p.out, iov, PIECES_MAX + 1), -EMSGSIZE);
    net_expect_working(&p); // nothing of it was sent
    net_close(&p);
}

static int run_main(void *arg) {
    (void)arg;
    net_number(text, sizeof text, 0);
    for (int i = 0; i <= PIECES_MAX; i++) {
        iov[i] = (struct iovec){.iov_base = text + i, .iov_len = 1};
    }
    send_each(net_messages);
    send_each(net_udp);
    refuse_too_large(net_messages);
    refuse_too_large(net_udp);
    return 0;
}

TEST(write_some_sends_whole_messages) {
    RUN(run_main);
}
