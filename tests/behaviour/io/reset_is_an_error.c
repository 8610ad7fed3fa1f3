/* SPDX-License-Identifier: MIT */
/* Proves: if the other side resets a connection, waiters in either direction return
   -ECONNRESET, neither an end of file nor a timeout (NP-17). */
#include "net.h"

static const char much[NET_TOO_MUCH];
static tuco_wg wg;

static void expect_reset_in_read(void *f) {
    ASSERT_EQ(tuco_fd_read(f, &(char){0}, 1), -ECONNRESET);
}

static void expect_reset_in_write(void *f) {
    ASSERT_EQ(tuco_fd_write(f, much, sizeof much), -ECONNRESET);
}

static void break_off(tuco_fd *f) {
    struct linger at_once = {.l_onoff = 1, .l_linger = 0};
    ASSERT_EQ(setsockopt(tuco_fd_raw(f), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once),
              0);
    ASSERT_EQ(tuco_fd_close(f), 0);
}

static void break_off_beside(tuco_fn *waiter) {
    struct net_pair p = net_open(net_tcp);
    ASSERT_EQ(tuco_wg_go(&wg, waiter, p.in), 0);
    test_await_waiting(1);
    break_off(p.out);
    tuco_wg_wait(&wg);
    ASSERT_EQ(tuco_fd_write(p.in, "x", 1), -EPIPE); // the kernel reports the reset once
    ASSERT_EQ(tuco_fd_close(p.in), 0);
}

static int run_main(void *arg) {
    (void)arg;
    break_off_beside(expect_reset_in_read);
    break_off_beside(expect_reset_in_write);
    struct net_pair p = net_open(net_tcp);
    net_say(p.out, "last words");
    break_off(p.out);
    net_hear(p.in, "last words");
    ASSERT_EQ(tuco_fd_read(p.in, &(char){0}, 1), -ECONNRESET);
    ASSERT_EQ(tuco_fd_close(p.in), 0);
    return 0;
}

TEST(reset_is_an_error) {
    RUN(run_main);
}
