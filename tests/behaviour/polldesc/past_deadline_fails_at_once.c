/* SPDX-License-Identifier: MIT */
/* Proves: after the deadline every operation fails with -ETIMEDOUT each time, though it
   could complete at once, and transfers nothing (NP-01). */
#include "net.h"

static const tuco_time past[] = {INT64_MIN, -1, 0, 1};

static void expect_timeouts(struct net_pair *p, bool is_socket) {
    char bytes[16];
    struct iovec iov = {.iov_base = bytes, .iov_len = sizeof bytes};
    for (int i = 0; i < 2; i++) {
        ASSERT_EQ(tuco_fd_read(p->in, bytes, sizeof bytes), -ETIMEDOUT);
        ASSERT_EQ(tuco_fd_readv(p->in, &iov, 1), -ETIMEDOUT);
        ASSERT_EQ(tuco_fd_write(p->out, bytes, sizeof bytes), -ETIMEDOUT);
        ASSERT_EQ(tuco_fd_writev(p->out, &iov, 1), -ETIMEDOUT);
        ASSERT_EQ(tuco_fd_write_some(p->out, bytes, sizeof bytes), -ETIMEDOUT);
        ASSERT_EQ(tuco_fd_writev_some(p->out, &iov, 1), -ETIMEDOUT);
        if (is_socket) {
            ASSERT_EQ(tuco_fd_recvfrom(p->in, bytes, sizeof bytes, NULL, NULL),
                      -ETIMEDOUT);
            ASSERT_EQ(tuco_fd_sendto(p->out, bytes, sizeof bytes, NULL, 0), -ETIMEDOUT);
        }
    }
}

static void expire(struct net_pair *p, bool is_socket, tuco_time deadline) {
    net_say(p->out, "ready");
    ASSERT_EQ(tuco_fd_set_deadline(p->in, deadline), 0);
    ASSERT_EQ(tuco_fd_set_deadline(p->out, deadline), 0);
    expect_timeouts(p, is_socket);
    ASSERT_EQ(tuco_fd_set_deadline(p->in, TUCO_NEVER), 0);
    ASSERT_EQ(tuco_fd_set_deadline(p->out, TUCO_NEVER), 0);
    net_hear(p->in, "ready"); // no byte was taken, and none was sent after these
}

static void expire_all(void *arg) {
    static const struct {
        net_kind *kind;
        bool is_socket;
    } kinds[] = {{net_tcp, true},   {net_socketpair, true}, {net_udp, true},
                 {net_pipe, false}, {net_fifo, false},      {net_terminal, false}};
    (void)arg;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        struct net_pair p = net_open(kinds[i].kind);
        for (size_t k = 0; k < sizeof past / sizeof past[0]; k++) {
            expire(&p, kinds[i].is_socket, past[k]);
        }
        expire(&p, kinds[i].is_socket, tuco_now());
        expire(&p, kinds[i].is_socket, tuco_deadline(-TUCO_SECOND));
        net_close(&p);
    }
}

static int run_main(void *arg) {
    expire_all(arg);
    return 0;
}

TEST(past_deadline_fails_at_once) {
    RUN(run_main);
}

TEST(past_deadline_without_runtime) {
    test_threads_run(1, expire_all, NULL);
}
