/* SPDX-License-Identifier: MIT */
/* Proves: after a timeout, of a past deadline or of a wait, the connection works as
   before (NP-09). */
#include "net.h"

#define SPAN (2 * TUCO_MILLISECOND)

static char heard[NET_TOO_MUCH];
static const char much[NET_TOO_MUCH];
static tuco_wg wg;

static void time_out(struct net_pair *p, tuco_time deadline) {
    ASSERT_EQ(tuco_fd_set_deadline(p->in, deadline), 0);
    ASSERT_EQ(tuco_fd_set_deadline(p->out, deadline), 0);
    ASSERT_EQ(tuco_fd_read(p->in, &(char){0}, 1), -ETIMEDOUT);
    ASSERT_EQ(tuco_fd_read(p->out, &(char){0}, 1), -ETIMEDOUT);
    ASSERT_EQ(tuco_fd_set_deadline(p->in, TUCO_NEVER), 0);
    ASSERT_EQ(tuco_fd_set_deadline(p->out, TUCO_NEVER), 0);
}

static void echo(void *raw) {
    struct net_pair *p = raw;
    net_hear(p->in, "Hello, world!");
    net_say(p->in, "Hello, world!");
}

/* Each direction waits once: the echo sleeps before its bytes are sent. */
static void expect_echo(struct net_pair *p) {
    ASSERT_EQ(tuco_wg_go(&wg, echo, p), 0);
    test_await_waiting(1);
    net_say(p->out, "Hello, world!");
    net_hear(p->out, "Hello, world!");
    tuco_wg_wait(&wg);
}

static void say_end(void *f) {
    net_say(f, "!");
}

/* The write transfers a part, of unknown length: a mark shows where it ends. */
static void time_out_writing(struct net_pair *p) {
    ssize_t n;
    ASSERT_EQ(tuco_fd_set_write_deadline(p->out, tuco_deadline(SPAN)), 0);
    ASSERT_EQ(tuco_fd_write(p->out, much, sizeof much), -ETIMEDOUT);
    ASSERT_EQ(tuco_fd_set_write_deadline(p->out, TUCO_NEVER), 0);
    ASSERT_EQ(tuco_wg_go(&wg, say_end, p->out), 0);
    do {
        n = tuco_fd_read(p->in, heard, sizeof heard);
        ASSERT_GT(n, 0);
    } while (heard[n - 1] != '!');
    tuco_wg_wait(&wg);
}

static int run_main(void *arg) {
    (void)arg;
    net_kind *kinds[] = {net_tcp, net_socketpair};
    for (int i = 0; i < 2; i++) {
        struct net_pair p = net_open(kinds[i]);
        time_out(&p, 0);
        expect_echo(&p);
        time_out(&p, tuco_deadline(SPAN));
        expect_echo(&p);
        time_out_writing(&p);
        expect_echo(&p);
        net_close(&p);
    }
    return 0;
}

TEST(works_after_timeout) {
    RUN(run_main);
}
