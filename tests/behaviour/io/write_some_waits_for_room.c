/* SPDX-License-Identifier: MIT */
/* Proves: tuco_fd_write_some() waits until the kernel accepts a byte, in goroutines and
   threads. Without a runtime it returns -ESRCH if it would have to wait. */
#include "net.h"

static char said[] = "x";
static tuco_wg wg;

static ssize_t one_buffer(tuco_fd *f) {
    return tuco_fd_write_some(f, said, 1);
}

static ssize_t several_buffers(tuco_fd *f) {
    struct iovec iov[] = {{NULL, 0}, {said, 1}};
    return tuco_fd_writev_some(f, iov, 2);
}

static ssize_t (*const ways[])(tuco_fd *f) = {one_buffer, several_buffers};
static ssize_t (*way)(tuco_fd *f);

static void write_one(void *f) {
    ASSERT_EQ(way(f), 1);
}

static void write_one_on_thread(void *f) {
    test_threads_run(1, write_one, f);
}

/* The bytes that fill the buffers are zeros. */
static void read_to_the_x(tuco_fd *f) {
    char bytes[4096];
    ssize_t n;
    do {
        n = tuco_fd_read(f, bytes, sizeof bytes);
        ASSERT_GT(n, 0);
    } while (bytes[n - 1] != 'x');
}

static void wait_for_room(net_kind *kind, tuco_fn *write) {
    struct net_pair p = net_open(kind);
    net_fill(p.out);
    ASSERT_EQ(tuco_wg_go(&wg, write, p.out), 0);
    test_await_waiting(1);
    read_to_the_x(p.in);
    tuco_wg_wait(&wg);
    net_close(&p);
}

static int run_main(void *arg) {
    net_kind *kinds[] = {net_pipe, net_fifo, net_socketpair, net_messages};
    (void)arg;
    for (int i = 0; i < 8; i++) {
        way = ways[i % 2];
        wait_for_room(kinds[i / 2], write_one);
        wait_for_room(kinds[i / 2], write_one_on_thread);
    }
    return 0;
}

TEST(write_some_waits_for_room) {
    RUN(run_main);
}

TEST(without_a_runtime) {
    struct net_pair p = net_open(net_pipe);
    ASSERT_EQ(one_buffer(p.out), 1);
    net_hear(p.in, "x");
    net_fill(p.out);
    ASSERT_EQ(one_buffer(p.out), -ESRCH);
    ASSERT_EQ(several_buffers(p.out), -ESRCH);
    net_close(&p);
}
