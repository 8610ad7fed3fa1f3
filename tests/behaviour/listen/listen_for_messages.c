/* SPDX-License-Identifier: MIT */
/* Proves: a listener of "udp" receives datagrams from every sender, and a dialled socket
   only from its remote address, which it reports. */
#include "loopback.h"

#include <arpa/inet.h>

static const char *network;
static const char *host;

static int talk_main(void *arg) {
    (void)arg;
    char text[LO_TEXT];
    char address[LO_TEXT];
    struct sockaddr_storage from;
    tuco_socklen from_bytes = sizeof from;
    tuco_fd *l = lo_listen(network, ":0");
    tuco_fd *f = lo_dial(network, lo_at(host, l, address));
    ASSERT_STR(lo_remote(f, text), address);
    ASSERT_EQ(tuco_remote_address(l, text, sizeof text), -ENOTCONN);
    lo_expect_talk(f, l);
    ASSERT_EQ(tuco_fd_write(f, "", 0), 0);
    ASSERT_EQ(tuco_fd_recvfrom(l, text, 1, (struct sockaddr *)&from, &from_bytes), 0);
    ASSERT_EQ(tuco_fd_sendto(l, "hi", 2, (struct sockaddr *)&from, from_bytes), 2);
    ASSERT_EQ(tuco_fd_read(f, text, sizeof text), 2);
    tuco_fd *other = lo_listen(network, ":0"); // f receives nothing from it
    ASSERT_EQ(tuco_fd_sendto(other, "no", 2, (struct sockaddr *)&from, from_bytes), 2);
    ASSERT_EQ(tuco_fd_sendto(l, "yes", 3, (struct sockaddr *)&from, from_bytes), 3);
    ASSERT_EQ(tuco_fd_read(f, text, sizeof text), 3);
    lo_close(l);
    lo_close(other);
    ASSERT_EQ(tuco_fd_write(f, "x", 1), 1);
    ASSERT_EQ(tuco_fd_read(f, text, sizeof text), -ECONNREFUSED);
    lo_close(f);
    return 0;
}

static void expect_talk(const char *its_network, const char *its_host) {
    network = its_network;
    host = its_host;
    RUN(talk_main);
}

TEST(udp4) {
    expect_talk("udp4", "127.0.0.1");
}

TEST(udp6) {
    lo_skip_without_ipv6();
    expect_talk("udp6", "[::1]");
}

TEST(both_at_once) {
    expect_talk("udp", "127.0.0.1");
}
