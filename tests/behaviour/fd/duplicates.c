/* SPDX-License-Identifier: MIT */
/* Proves: handles of several descriptors of one file are independent: each becomes ready
   by itself, and closing a handle ends neither the others nor their waits. */
#include "net.h"

static tuco_wg wg;

static tuco_fd *duplicate(tuco_fd *f) {
    int fd = fcntl(tuco_fd_raw(f), F_DUPFD_CLOEXEC, 0);
    ASSERT_GE(fd, 0);
    return net_wrap(fd);
}

static void hear_one(void *f) {
    net_hear(f, "x");
}

static void share(net_kind *kind) {
    struct net_pair p = net_open(kind);
    tuco_fd *second = duplicate(p.in);
    tuco_fd *third = duplicate(p.in);
    ASSERT_EQ(tuco_wg_go(&wg, hear_one, p.in), 0);
    ASSERT_EQ(tuco_wg_go(&wg, hear_one, second), 0);
    ASSERT_EQ(tuco_wg_go(&wg, hear_one, third), 0);
    test_await_waiting(3);
    net_say(p.out, "xxx");
    tuco_wg_wait(&wg);

    ASSERT_EQ(tuco_wg_go(&wg, hear_one, second), 0);
    test_await_waiting(1);
    ASSERT_EQ(tuco_fd_close(p.in), 0);
    ASSERT_EQ(tuco_fd_close(third), 0);
    net_say(p.out, "x");
    tuco_wg_wait(&wg);
    p.in = second;
    net_expect_working(&p);
    net_close(&p);
}

/* Reuses the number of a descriptor whose file is still open elsewhere. */
static void reuse_number(void) {
    for (int i = 0; i < 10; i++) {
        struct net_pair p = net_open(net_socketpair);
        int keep = dup(tuco_fd_raw(p.in));
        ASSERT_EQ(tuco_wg_go(&wg, hear_one, p.in), 0);
        test_await_waiting(1);
        net_say(p.out, "x");
        tuco_wg_wait(&wg);
        net_close(&p);
        p = net_open(net_socketpair);
        ASSERT_EQ(tuco_wg_go(&wg, hear_one, p.in), 0);
        test_await_waiting(1);
        net_say(p.out, "x");
        tuco_wg_wait(&wg);
        net_close(&p);
        ASSERT_EQ(close(keep), 0);
    }
}

/* Reuses a number for the same file: the earlier registration with epoll has ended. */
static void same_number_again(void) {
    struct net_pair p = net_open(net_socketpair);
    for (int i = 0; i < 3; i++) {
        int number = tuco_fd_raw(p.in);
        int keep = fcntl(number, F_DUPFD_CLOEXEC, 100);
        ASSERT_GE(keep, 100);
        ASSERT_EQ(tuco_wg_go(&wg, hear_one, p.in), 0);
        test_await_waiting(1);
        net_say(p.out, "x");
        tuco_wg_wait(&wg);
        ASSERT_EQ(tuco_fd_close(p.in), 0);
        ASSERT_EQ(dup3(keep, number, O_CLOEXEC), number);
        ASSERT_EQ(close(keep), 0);
        p.in = net_wrap(number);
    }
    net_close(&p);
}

static int run_main(void *arg) {
    (void)arg;
    share(net_socketpair);
    share(net_tcp);
    share(net_pipe);
    reuse_number();
    same_number_again();
    return 0;
}

TEST(duplicates) {
    RUN(run_main);
}
