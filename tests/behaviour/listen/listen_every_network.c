/* SPDX-License-Identifier: MIT */
/* Proves: a listener of each stream network accepts connections at its address, and both
   ends report each other's addresses. */
#include "loopback.h"

static const char *network;
static const char *address;

static int talk_main(void *arg) {
    (void)arg;
    char there[LO_TEXT];
    char here[LO_TEXT];
    tuco_fd *ends[2];
    tuco_fd *l = lo_listen(network, address);
    lo_connect(network, l, ends);
    ASSERT_STR(lo_remote(ends[0], there), lo_local(l, here));
    ASSERT_STR(lo_local(ends[1], there), lo_local(l, here));
    ASSERT_STR(lo_local(ends[0], here), lo_remote(ends[1], there));
    lo_expect_talk(ends[0], ends[1]);
    lo_expect_talk(ends[1], ends[0]);
    lo_close(ends[0]);
    ASSERT_EQ(tuco_fd_read(ends[1], here, 1), 0);
    lo_close(ends[1]);
    lo_close(l);
    return 0;
}

static void expect_talk(const char *its_network, const char *its_address) {
    int fds = test_count_fds();
    network = its_network;
    address = its_address;
    RUN(talk_main);
    ASSERT_EQ(test_count_fds(), fds);
}

TEST(tcp) {
    expect_talk("tcp", "127.0.0.1:0");
}

TEST(tcp4) {
    expect_talk("tcp4", "127.0.0.1:0");
}

TEST(tcp6) {
    lo_skip_without_ipv6();
    expect_talk("tcp6", "[::1]:0");
}

TEST(tcp_of_ipv6) {
    lo_skip_without_ipv6();
    expect_talk("tcp", "[::1]:0");
}

TEST(tcp_by_name) {
    expect_talk("tcp4", "localhost:0");
}

/* IPv4 before IPv6, whatever the order in the system's tables. */
TEST(tcp_by_name_of_both) {
    char text[LO_TEXT];
    tuco_fd *l = lo_listen("tcp", "localhost:0");
    ASSERT_EQ(strncmp(lo_local(l, text), "127.", 4), 0);
    lo_close(l);
}

TEST(abstract) {
    char name[LO_TEXT];
    snprintf(name, sizeof name, "@tuco-test-%d", (int)getpid());
    expect_talk("unix", name);
}

TEST(abstract_chosen_by_kernel) {
    expect_talk("unix", "@");
}

TEST(path) {
    char path[LO_TEXT];
    expect_talk("unix", lo_path(path));
    ASSERT_EQ(access(path, F_OK), -1);
}
