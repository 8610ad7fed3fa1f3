/* SPDX-License-Identifier: MIT */
/* Proves: both ends of a connection are non-blocking and close-on-exec; ends of TCP have
   TCP_NODELAY and keep-alive probes on. */
#include "loopback.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>

static int option(tuco_fd *f, int level, int name) {
    int value = -1;
    socklen_t bytes = sizeof value;
    ASSERT_EQ(getsockopt(tuco_fd_raw(f), level, name, &value, &bytes), 0);
    return value;
}

static void expect_flags(tuco_fd *f) {
    ASSERT_EQ(fcntl(tuco_fd_raw(f), F_GETFL) & O_NONBLOCK, O_NONBLOCK);
    ASSERT_EQ(fcntl(tuco_fd_raw(f), F_GETFD), FD_CLOEXEC);
}

static void expect_tuned(tuco_fd *f) {
    ASSERT_NE(option(f, IPPROTO_TCP, TCP_NODELAY), 0);
    ASSERT_NE(option(f, SOL_SOCKET, SO_KEEPALIVE), 0);
    ASSERT_EQ(option(f, IPPROTO_TCP, TCP_KEEPIDLE), 15);
    ASSERT_EQ(option(f, IPPROTO_TCP, TCP_KEEPINTVL), 15);
    ASSERT_EQ(option(f, IPPROTO_TCP, TCP_KEEPCNT), 9);
}

static void expect_options(const char *network, const char *address, bool tuned) {
    tuco_fd *ends[2];
    tuco_fd *l = lo_listen(network, address);
    lo_connect(network, l, ends);
    expect_flags(l);
    for (int i = 0; i < 2; i++) {
        expect_flags(ends[i]);
        if (tuned) {
            expect_tuned(ends[i]);
        }
        lo_close(ends[i]);
    }
    lo_close(l);
}

static int run_main(void *arg) {
    (void)arg;
    expect_options("tcp", "127.0.0.1:0", true);
    expect_options("unix", "@", false);
    return 0;
}

TEST(options) {
    RUN(run_main);
}
