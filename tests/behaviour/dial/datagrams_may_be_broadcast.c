/* SPDX-License-Identifier: MIT */
/* Proves: a UDP socket, dialled or listening, may send to a broadcast address: the
   library sets SO_BROADCAST. */
#include "loopback.h"

#include <arpa/inet.h>

/* The broadcast address of the loopback network. */
#define BROADCAST "127.255.255.255"

static void expect_allowed(tuco_fd *f) {
    int value = 0;
    socklen_t bytes = sizeof value;
    ASSERT_EQ(getsockopt(tuco_fd_raw(f), SOL_SOCKET, SO_BROADCAST, &value, &bytes), 0);
    ASSERT_NE(value, 0);
}

static int run_main(void *unused) {
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(9)};
    (void)unused;
    tuco_fd *f = lo_dial("udp4", BROADCAST ":9");
    expect_allowed(f);
    ASSERT_EQ(tuco_fd_write(f, "x", 1), 1);
    lo_close(f);
    f = lo_listen("udp4", "127.0.0.1:0");
    expect_allowed(f);
    ASSERT_EQ(inet_pton(AF_INET, BROADCAST, &to.sin_addr), 1);
    ASSERT_EQ(tuco_fd_sendto(f, "x", 1, (struct sockaddr *)&to, sizeof to), 1);
    lo_close(f);
    return 0;
}

TEST(datagrams_may_be_broadcast) {
    RUN(run_main);
}
