/* SPDX-License-Identifier: MIT */
/* Proves: closing a handle wakes all waiters in its calls with -ECANCELED, in both
   directions, those that wait for their turn included, for any kind of file, and from a
   goroutine or a thread (NP-10). */
#include "net.h"

#define EACH 4

static const char much[NET_TOO_MUCH];
static tuco_wg wg;
static atomic_int woken;

static void wait_to_read(void *f) {
    ASSERT_EQ(tuco_fd_read(f, &(char){0}, 1), -ECANCELED);
    atomic_fetch_add(&woken, 1);
    tuco_fd_unref(f);
}

static void wait_to_readv(void *f) {
    struct iovec iov = {.iov_base = &(char){0}, .iov_len = 1};
    ASSERT_EQ(tuco_fd_readv(f, &iov, 1), -ECANCELED);
    atomic_fetch_add(&woken, 1);
    tuco_fd_unref(f);
}

static void wait_to_write(void *f) {
    ASSERT_EQ(tuco_fd_write(f, much, sizeof much), -ECANCELED);
    atomic_fetch_add(&woken, 1);
    tuco_fd_unref(f);
}

static void wait_to_writev(void *f) {
    struct iovec iov = {.iov_base = (void *)much, .iov_len = sizeof much};
    ASSERT_EQ(tuco_fd_writev(f, &iov, 1), -ECANCELED);
    atomic_fetch_add(&woken, 1);
    tuco_fd_unref(f);
}

static void close_it(void *f) {
    ASSERT_EQ(tuco_fd_close(f), 0);
}

static void close_on_thread(void *f) {
    test_threads_run(1, close_it, f);
}

static void close_on(tuco_fd *f, tuco_fn *wait, tuco_fn *other_wait, tuco_fn *end) {
    int fd = tuco_fd_raw(f);
    atomic_store(&woken, 0);
    for (int i = 0; i < EACH; i++) {
        ASSERT_EQ(tuco_wg_go(&wg, i % 2 == 0 ? wait : other_wait, tuco_fd_ref(f)), 0);
    }
    test_await_waiting(EACH);
    ASSERT_EQ(atomic_load(&woken), 0);
    end(f);
    tuco_wg_wait(&wg);
    ASSERT_EQ(atomic_load(&woken), EACH);
    ASSERT(!net_is_open(fd));
}

static int run_main(void *arg) {
    net_kind *kinds[] = {net_tcp, net_socketpair, net_pipe, net_fifo, net_terminal};
    tuco_fn *ends[] = {close_it, close_on_thread};
    (void)arg;
    for (int i = 0; i < 10; i++) {
        struct net_pair p = net_open(kinds[i / 2]);
        close_on(p.in, wait_to_read, wait_to_readv, ends[i % 2]);
        ASSERT_EQ(tuco_fd_close(p.out), 0);
        p = net_open(kinds[i / 2]);
        close_on(p.out, wait_to_write, wait_to_writev, ends[i % 2]);
        ASSERT_EQ(tuco_fd_close(p.in), 0);
        if (kinds[i / 2] == net_tcp) { // and both directions of one handle
            p = net_open(net_tcp);
            close_on(p.in, wait_to_read, wait_to_write, ends[i % 2]);
            ASSERT_EQ(tuco_fd_close(p.out), 0);
        }
    }
    return 0;
}

TEST(close_wakes_all_waiters) {
    RUN(run_main);
}

static void wait_to_receive(void *f) {
    ASSERT_EQ(tuco_fd_recvfrom(f, &(char){0}, 1, NULL, NULL), -ECANCELED);
    atomic_fetch_add(&woken, 1);
    tuco_fd_unref(f);
}

static int receive_main(void *arg) {
    (void)arg;
    struct net_pair p = net_open(net_udp);
    close_on(p.in, wait_to_receive, wait_to_read, close_it);
    close_on(p.out, wait_to_receive, wait_to_receive, close_on_thread);
    return 0;
}

TEST(close_wakes_receivers_of_datagrams) {
    RUN(receive_main);
}
