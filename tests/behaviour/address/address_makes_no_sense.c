/* SPDX-License-Identifier: MIT */
/* Proves: tuco_listen() and tuco_dial() return -EINVAL for an unknown network and for an
   address that is invalid in its network, and open no descriptor. */
#include "loopback.h"

static const char *const pairs[][2] = {
    {"", "127.0.0.1:0"},
    {"TCP", "127.0.0.1:0"},
    {"tcp7", "127.0.0.1:0"},
    {"ip", "127.0.0.1:0"},
    {"tcp", ""},
    {"tcp", ":"},
    {"tcp", "127.0.0.1"},
    {"tcp", "127.0.0.1:"},
    {"tcp", "127.0.0.1:65536"},
    {"tcp", "127.0.0.1:+80"},
    {"tcp", "127.0.0.1:-1"},
    {"tcp", "127.0.0.1: 80"},
    {"tcp", "127.0.0.1:80 "},
    {"tcp", "127.0.0.1:0x50"},
    {"tcp", " 127.0.0.1:80"},
    {"tcp", "127.0.0.1:80:80"},
    {"tcp", "::1:80"},
    {"tcp", "[::1]"},
    {"tcp", "[::1]80"},
    {"tcp", "[::1:80"},
    {"tcp", "[]:80"},
    {"tcp", "[localhost]:80"},
    {"tcp", "[127.0.0.1]:80"},
    {"tcp", "[::1%]:80"},
    {"tcp", "127.1:80"},
    {"tcp", "127.0.0.256:80"},
    {"tcp", "0177.0.0.1:80"},
    {"tcp", "2130706433:80"},
    {"tcp", "0x7f000001:80"},
    {"tcp", "a..b:80"},
    {"tcp", "a b:80"},
    {"tcp4", "[::1]:80"},
    {"tcp6", "127.0.0.1:80"},
    {"udp4", "[::1]:80"},
    {"tcp6", "[::ffff:127.0.0.1]:80"},
    {"udp4", "[::ffff:127.0.0.1]:80"},
    {"unix", ""},
};

static void expect_nonsense(const char *network, const char *address) {
    tuco_fd *const untouched = (tuco_fd *)&pairs;
    tuco_fd *f = untouched;
    int listened = tuco_listen(network, address, &f);
    int dialed = tuco_dial(network, address, TUCO_NEVER, &f);
    if (listened != -EINVAL || dialed != -EINVAL || f != untouched) {
        test_fail(__FILE__, __LINE__, "%s %s: %d and %d", network, address, listened,
                  dialed);
    }
}

TEST(no_sense) {
    char path[200] = {[0 ... 198] = 'a'};
    int fds = test_count_fds();
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        expect_nonsense(pairs[i][0], pairs[i][1]);
    }
    path[108] = '\0';
    expect_nonsense("unix", path);
    path[0] = '@';
    path[108] = 'a';
    path[109] = '\0';
    expect_nonsense("unix", path);
    ASSERT_EQ(test_count_fds(), fds);
}
