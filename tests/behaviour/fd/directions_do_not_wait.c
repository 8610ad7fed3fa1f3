/* SPDX-License-Identifier: MIT */
/* Proves: a waiting reader does not block writers of the same handle, and a waiting
   writer does not block its readers. */
#include "net.h"

static char much[NET_TOO_MUCH];
static char heard[NET_TOO_MUCH];
static tuco_wg wg;

static void hear_answer(void *f) {
    net_hear(f, "answer");
}

static void write_much(void *f) {
    ASSERT_EQ(tuco_fd_write(f, much, sizeof much), sizeof much);
}

static void talk(net_kind *kind) {
    struct net_pair p = net_open(kind);
    ASSERT_EQ(tuco_wg_go(&wg, hear_answer, p.in), 0);
    test_await_waiting(1);
    net_say(p.in, "question");
    net_hear(p.out, "question");
    net_say(p.out, "answer");
    tuco_wg_wait(&wg);

    ASSERT_EQ(tuco_wg_go(&wg, write_much, p.in), 0);
    test_await_waiting(1);
    net_say(p.out, "enough");
    net_hear(p.in, "enough");
    ASSERT_EQ(tuco_wg_go(&wg, hear_answer, p.in), 0);
    test_await_waiting(2); // both directions at once
    net_say(p.out, "answer");
    net_hear_bytes(p.out, heard, sizeof heard);
    tuco_wg_wait(&wg);
    net_close(&p);
}

static int run_main(void *arg) {
    (void)arg;
    talk(net_socketpair);
    talk(net_tcp);
    return 0;
}

TEST(directions_do_not_wait) {
    RUN(run_main);
}
