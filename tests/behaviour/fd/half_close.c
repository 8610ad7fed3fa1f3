/* SPDX-License-Identifier: MIT */
/* Proves: shutdown ends one direction and leaves the other. It wakes the waiters of that
   direction, on both sides. It fails for a file that is no socket (NP-16). */
#include "net.h"

static tuco_wg wg;

static void expect_end(void *f) {
    for (int i = 0; i < 3; i++) {
        ASSERT_EQ(tuco_fd_read(f, &(char){0}, 1), 0);
    }
}

static void end_of_writing(net_kind *kind) {
    struct net_pair p = net_open(kind);
    net_say(p.out, "last words");
    ASSERT_EQ(tuco_fd_shutdown(p.out, SHUT_WR), 0);
    net_hear(p.in, "last words");
    expect_end(p.in);
    ASSERT_EQ(tuco_fd_write(p.out, "x", 1), -EPIPE);
    net_say(p.in, "still there");
    net_hear(p.out, "still there");
    ASSERT_GE(tuco_fd_raw(p.out), 0);
    net_close(&p);
}

static void end_of_reading(net_kind *kind) {
    struct net_pair p = net_open(kind);
    ASSERT_EQ(tuco_fd_shutdown(p.in, SHUT_RD), 0);
    expect_end(p.in);
    net_say(p.in, "still there");
    net_hear(p.out, "still there");
    net_close(&p);
}

static void wakes_waiting(net_kind *kind, bool own, int how) {
    struct net_pair p = net_open(kind);
    ASSERT_EQ(tuco_wg_go(&wg, expect_end, p.in), 0);
    test_await_waiting(1);
    ASSERT_EQ(tuco_fd_shutdown(own ? p.in : p.out, how), 0);
    tuco_wg_wait(&wg);
    net_close(&p);
}

static void refusals(void) {
    struct net_pair p = net_open(net_socketpair);
    struct net_pair q = net_open(net_pipe);
    ASSERT_EQ(tuco_fd_shutdown(p.in, 77), -EINVAL);
    ASSERT_EQ(tuco_fd_shutdown(q.out, SHUT_WR), -ENOTSOCK);
    net_expect_working(&p);
    net_expect_working(&q);
    net_close(&p);
    net_close(&q);
}

static int run_main(void *arg) {
    net_kind *kinds[] = {net_socketpair, net_tcp, net_dialed};
    (void)arg;
    for (int i = 0; i < 3; i++) {
        end_of_writing(kinds[i]);
        end_of_reading(kinds[i]);
        wakes_waiting(kinds[i], false, SHUT_WR);
        wakes_waiting(kinds[i], false, SHUT_RDWR);
        wakes_waiting(kinds[i], true, SHUT_RD);
        wakes_waiting(kinds[i], true, SHUT_RDWR);
    }
    refusals();
    return 0;
}

TEST(half_close) {
    RUN(run_main);
}
