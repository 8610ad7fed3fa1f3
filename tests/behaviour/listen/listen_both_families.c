/* SPDX-License-Identifier: MIT */
/* Proves: a listener at all addresses is reached by IPv4 and IPv6, unless its network or
   host names a family, and reports IPv4 peers by IPv4 addresses. */
#include "loopback.h"

static void expect_reached(tuco_fd *l, const char *host, const char *seen) {
    char text[LO_TEXT];
    tuco_fd *f = lo_dial("tcp", lo_at(host, l, text));
    tuco_fd *accepted = lo_accept(l);
    ASSERT_EQ(strncmp(lo_remote(accepted, text), seen, strlen(seen)), 0);
    ASSERT_EQ(strncmp(lo_local(accepted, text), seen, strlen(seen)), 0);
    lo_close(f);
    lo_close(accepted);
}

static void expect_refused(tuco_fd *l, const char *host) {
    char text[LO_TEXT];
    tuco_fd *f;
    ASSERT_EQ(tuco_dial("tcp", lo_at(host, l, text), TUCO_NEVER, &f), -ECONNREFUSED);
}

static void expect_both(const char *address) {
    tuco_fd *l = lo_listen("tcp", address);
    expect_reached(l, "127.0.0.1", "127.0.0.1:");
    expect_reached(l, "[::1]", "[::1]:");
    lo_close(l);
}

static int run_main(void *arg) {
    (void)arg;
    expect_both(":0");
    expect_both("[::]:0");
    tuco_fd *l = lo_listen("tcp6", ":0");
    expect_reached(l, "[::1]", "[::1]:");
    expect_refused(l, "127.0.0.1");
    lo_close(l);
    l = lo_listen("tcp4", ":0");
    expect_reached(l, "127.0.0.1", "127.0.0.1:");
    expect_refused(l, "[::1]");
    lo_close(l);
    l = lo_listen("tcp", "0.0.0.0:0");
    expect_refused(l, "[::1]");
    lo_close(l);
    return 0;
}

TEST(both_families) {
    lo_skip_without_ipv6();
    RUN(run_main);
}
