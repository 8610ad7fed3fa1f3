/* SPDX-License-Identifier: MIT */
/* Proves: a connection accepted by a wrapped listener has TCP_NODELAY and keepalive set,
   as with tuco_listen(); options that the program has set on its listener stay. */
#include "loopback.h"
#include "net.h"

#include <netinet/in.h>
#include <netinet/tcp.h>

static int option(tuco_fd *f, int level, int name) {
    int value = -1;
    socklen_t bytes = sizeof value;
    ASSERT_EQ(getsockopt(tuco_fd_raw(f), level, name, &value, &bytes), 0);
    return value;
}

static void expect_tuned(int listener, int idle_seconds) {
    tuco_fd *ends[2];
    ASSERT_EQ(listen(listener, 1), 0);
    tuco_fd *l = net_wrap(listener);
    lo_connect("tcp", l, ends);
    ASSERT_NE(option(ends[1], IPPROTO_TCP, TCP_NODELAY), 0);
    ASSERT_NE(option(ends[1], SOL_SOCKET, SO_KEEPALIVE), 0);
    ASSERT_EQ(option(ends[1], IPPROTO_TCP, TCP_KEEPIDLE), idle_seconds);
    ASSERT_EQ(option(l, SOL_SOCKET, SO_KEEPALIVE), idle_seconds != 15);
    lo_expect_talk(ends[0], ends[1]);
    lo_expect_talk(ends[1], ends[0]);
    lo_close(ends[0]);
    lo_close(ends[1]);
    lo_close(l);
}

static int tcp_main(void *unused) {
    struct sockaddr_in address;
    int one = 1;
    int idle = 77;
    (void)unused;
    expect_tuned(net_bound_socket(SOCK_STREAM, &address), 15);
    int listener = net_bound_socket(SOCK_STREAM, &address);
    ASSERT_EQ(setsockopt(listener, SOL_SOCKET, SO_KEEPALIVE, &one, sizeof one), 0);
    ASSERT_EQ(setsockopt(listener, IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof idle), 0);
    expect_tuned(listener, idle);
    return 0;
}

TEST(tcp) {
    RUN(tcp_main);
}

/* A Unix socket has none of these options. */
static int unix_main(void *unused) {
    tuco_fd *ends[2];
    (void)unused;
    tuco_fd *own = lo_listen("unix", "@");
    tuco_fd *l = net_wrap(dup(tuco_fd_raw(own)));
    lo_connect("unix", l, ends);
    lo_expect_talk(ends[0], ends[1]);
    ASSERT_EQ(option(ends[1], SOL_SOCKET, SO_KEEPALIVE), 0);
    lo_close(ends[0]);
    lo_close(ends[1]);
    lo_close(l);
    lo_close(own);
    return 0;
}

TEST(other_sockets) {
    RUN(unix_main);
}
