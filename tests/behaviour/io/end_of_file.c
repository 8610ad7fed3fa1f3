/* SPDX-License-Identifier: MIT */
/* Proves: when the last writer has closed its end, a waiting reader, and every later
   read, gets the bytes that are left and then 0 (NP-11). */
#include "net.h"

static tuco_wg wg;
static atomic_int heard;

static void hear_all(void *f) {
    char byte;
    ssize_t n;
    while ((n = tuco_fd_read(f, &byte, 1)) > 0) {
        atomic_fetch_add(&heard, 1);
    }
    for (int i = 0; i < 3; i++) {
        ASSERT_EQ(n, 0);
        n = tuco_fd_read(f, &byte, 1);
    }
}

static void say_lines_and_leave(net_kind *kind) {
    struct net_pair p = net_open(kind);
    atomic_store(&heard, 0);
    ASSERT_EQ(tuco_wg_go(&wg, hear_all, p.in), 0);
    test_await_waiting(1);
    net_say(p.out, "one\n");
    net_say(p.out, "two\n");
    test_await(&heard, 8);
    test_await_waiting(1);
    net_say(p.out, "three\n");
    ASSERT_EQ(tuco_fd_close(p.out), 0);
    tuco_wg_wait(&wg);
    ASSERT_EQ(atomic_load(&heard), 14);
    ASSERT_EQ(tuco_fd_close(p.in), 0);
}

/* A waiting reader gets nothing but the end. */
static void leave_in_silence(net_kind *kind) {
    struct net_pair p = net_open(kind);
    ASSERT_EQ(tuco_wg_go(&wg, hear_all, p.in), 0);
    test_await_waiting(1);
    ASSERT_EQ(tuco_fd_close(p.out), 0);
    tuco_wg_wait(&wg);
    ASSERT_EQ(tuco_fd_close(p.in), 0);
}

/* Two descriptors of the writing end: the first close is not the end of the file. */
static void leave_one_by_one(void) {
    struct net_pair p = net_open(net_pipe);
    int again = dup(tuco_fd_raw(p.out));
    ASSERT_GE(again, 0);
    tuco_fd *other = net_wrap(again);
    ASSERT_EQ(tuco_wg_go(&wg, hear_all, p.in), 0);
    test_await_waiting(1);
    atomic_store(&heard, 0);
    ASSERT_EQ(tuco_fd_close(p.out), 0);
    net_say(other, "x");
    test_await(&heard, 1);
    ASSERT_EQ(tuco_fd_close(other), 0);
    tuco_wg_wait(&wg);
    ASSERT_EQ(tuco_fd_close(p.in), 0);
}

static int run_main(void *arg) {
    net_kind *kinds[] = {net_pipe, net_fifo, net_socketpair, net_tcp, net_dialed};
    (void)arg;
    for (int i = 0; i < 5; i++) {
        say_lines_and_leave(kinds[i]);
        leave_in_silence(kinds[i]);
    }
    leave_one_by_one();
    return 0;
}

TEST(end_of_file) {
    RUN(run_main);
}
