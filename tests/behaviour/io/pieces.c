/* SPDX-License-Identifier: MIT */
/* Proves: readv fills its buffers in order, at most 1024 of them, and writev writes any
   number of buffers completely. Empty buffers do not count. A message may have 1024
   buffers and stays one message. */
#include "net.h"

#include <limits.h>

#define MANY 3000

static unsigned char text[MANY];
static unsigned char heard[MANY];
static struct iovec iov[2 * MANY];

/* One byte each, and an empty piece behind each. */
static void cut(unsigned char *bytes) {
    for (int i = 0; i < MANY; i++) {
        iov[2 * i] = (struct iovec){.iov_base = bytes + i, .iov_len = 1};
        iov[2 * i + 1] = (struct iovec){.iov_base = NULL, .iov_len = 0};
    }
}

static void beyond_the_limit(net_kind *kind) {
    struct net_pair p = net_open(kind);
    net_number(text, sizeof text, 0);
    cut(text);
    ASSERT_EQ(tuco_fd_writev(p.out, iov, 2 * MANY), MANY);
    memset(heard, 0, sizeof heard);
    cut(heard);
    size_t got = 0;
    while (got < MANY) {
        size_t left = MANY - got;
        ssize_t n = tuco_fd_readv(p.in, iov + 2 * got, (int)(2 * left));
        ASSERT_GT(n, 0);
        ASSERT_LE(n, 512); // of 1024 pieces every other one
        got += (size_t)n;
    }
    net_expect_numbered(heard, MANY, 0);
    net_close(&p);
}

static void empty_ones_first(net_kind *kind) {
    struct net_pair p = net_open(kind);
    char bytes[4] = {0};
    struct iovec some[] = {{NULL, 0}, {bytes, 1}, {NULL, 0}, {bytes + 1, 2}, {NULL, 0}};
    struct iovec said[] = {{NULL, 0}, {"ab", 2}, {NULL, 0}, {"c", 1}, {NULL, 0}};
    ASSERT_EQ(tuco_fd_writev(p.out, said, 5), 3);
    ASSERT_EQ(tuco_fd_readv(p.in, some, 5), 3);
    ASSERT_STR(bytes, "abc");
    ASSERT_EQ(said[1].iov_len, 2); // the caller's array is unchanged
    ASSERT_EQ(tuco_fd_writev_some(p.out, said, 5), 3);
    ASSERT_EQ(tuco_fd_readv(p.in, some, 5), 3);
    ASSERT_STR(bytes, "abc");
    ASSERT_EQ(said[1].iov_len, 2);
    net_close(&p);
}

static void refused(void) {
    struct net_pair p = net_open(net_socketpair);
    struct iovec huge[] = {{text, SSIZE_MAX}, {text, 1}};
    struct iovec wide[] = {{text, SIZE_MAX}, {text, 2}};
    ASSERT_EQ(tuco_fd_readv(p.in, iov, -1), -EINVAL);
    ASSERT_EQ(tuco_fd_writev(p.out, iov, -1), -EINVAL);
    ASSERT_EQ(tuco_fd_readv(p.in, iov, INT_MIN), -EINVAL);
    ASSERT_EQ(tuco_fd_readv(p.in, huge, 2), -EINVAL);
    ASSERT_EQ(tuco_fd_readv(p.in, wide, 2), -EINVAL);
    ASSERT_EQ(tuco_fd_writev(p.out, huge, 2), -EINVAL);
    ASSERT_EQ(tuco_fd_writev(p.out, wide, 2), -EINVAL);
    ASSERT_EQ(tuco_fd_writev_some(p.out, iov, -1), -EINVAL);
    ASSERT_EQ(tuco_fd_writev_some(p.out, huge, 2), -EINVAL);
    ASSERT_EQ(tuco_fd_writev_some(p.out, wide, 2), -EINVAL);
    net_expect_working(&p); // nothing of it was sent
    net_close(&p);
}

/* Buffers beyond the first 1024 are not checked. */
static void beyond_the_used(void) {
    struct net_pair p = net_open(net_socketpair);
    cut(heard);
    iov[1024].iov_len = SIZE_MAX;
    net_say(p.out, "abc");
    ASSERT_EQ(tuco_fd_readv(p.in, iov, 1025), 3);
    ASSERT_EQ(memcmp(heard, "abc", 3), 0);
    net_close(&p);
}

static void messages(net_kind *kind) {
    struct net_pair p = net_open(kind);
    net_number(text, sizeof text, 0);
    cut(text);
    ASSERT_EQ(tuco_fd_writev(p.out, iov, 1024), 512);
    ASSERT_EQ(tuco_fd_writev(p.out, iov, 1025), -EMSGSIZE);
    ASSERT_EQ(tuco_fd_writev(p.out, iov, 6), 3);
    ASSERT_EQ(tuco_fd_read(p.in, heard, sizeof heard), 512);
    net_expect_numbered(heard, 512, 0);
    cut(heard);
    ASSERT_EQ(tuco_fd_readv(p.in, iov, 2 * MANY), 3);
    net_close(&p);
}

static int run_main(void *arg) {
    net_kind *kinds[] = {net_pipe, net_socketpair, net_tcp, net_terminal};
    (void)arg;
    for (int i = 0; i < 4; i++) {
        beyond_the_limit(kinds[i]);
        empty_ones_first(kinds[i]);
    }
    refused();
    beyond_the_used();
    messages(net_messages);
    messages(net_udp);
    return 0;
}

TEST(pieces) {
    RUN(run_main);
}
