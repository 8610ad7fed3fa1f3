/* SPDX-License-Identifier: MIT */
/* Proves: when a handle is closed during tuco_fd_write_some(), the reader gets the bytes
   that were counted before, and no more. */
#include "some.h"

static struct some s;
static unsigned char heard[sizeof s.text];

/* TCP may have room again: then the close comes between two calls. */
static void write_until_closed(void *f) {
    ASSERT_AMONG(some_write_on(&s), -ECANCELED, -EBADF);
    tuco_fd_unref(f);
}

static void close_under_writer(net_kind *kind) {
    struct net_pair p = net_open(kind);
    tuco_wg wg = {0};
    s.f = p.out;
    s.written = 0;
    ASSERT_EQ(tuco_wg_go(&wg, write_until_closed, tuco_fd_ref(p.out)), 0);
    test_await_waiting(1);
    ASSERT_EQ(tuco_fd_close(p.out), 0);
    tuco_wg_wait(&wg);
    ASSERT_GT(s.written, 0);
    net_hear_bytes(p.in, heard, s.written);
    net_expect_numbered(heard, s.written, 0);
    ASSERT_EQ(tuco_fd_read(p.in, heard, 1), 0);
    ASSERT_EQ(tuco_fd_close(p.in), 0);
}

static int run_main(void *arg) {
    net_kind *kinds[] = {net_socketpair, net_pipe, net_tcp};
    some_fn *ways[] = {some_of_one_buffer, some_of_several};
    (void)arg;
    net_number(s.text, sizeof s.text, 0);
    for (int i = 0; i < 6; i++) {
        s.way = ways[i % 2];
        close_under_writer(kinds[i / 2]);
    }
    return 0;
}

TEST(write_some_counts_up_to_a_close) {
    RUN(run_main);
}
