/* SPDX-License-Identifier: MIT */
/* Proves: the deadline of one direction affects the other neither in calls that complete
   at once nor in waits (NP-04). */
#include "net.h"

static char much[NET_TOO_MUCH];
static char heard[NET_TOO_MUCH];
static tuco_wg wg;
static atomic_int ended;

static void hear_late(void *f) {
    net_hear(f, "late");
    atomic_store(&ended, 1);
}

static void write_much(void *f) {
    ASSERT_EQ(tuco_fd_write(f, much, sizeof much), sizeof much);
    atomic_store(&ended, 1);
}

static void expect_still_waiting(void) {
    test_await_waiting(1);
    tuco_sleep(NET_PAUSE);
    ASSERT_EQ(atomic_load(&ended), 0);
}

static void write_beside_read_deadline(struct net_pair *p) {
    atomic_store(&ended, 0);
    ASSERT_EQ(tuco_fd_set_read_deadline(p->out, 0), 0);
    net_expect_working(p);
    ASSERT_EQ(tuco_wg_go(&wg, write_much, p->out), 0);
    ASSERT_EQ(tuco_fd_set_read_deadline(p->out, tuco_deadline(NET_PAUSE / 2)), 0);
    expect_still_waiting();
    ASSERT_EQ(tuco_fd_read(p->out, &(char){0}, 1), -ETIMEDOUT);
    net_hear_bytes(p->in, heard, sizeof heard);
    tuco_wg_wait(&wg);
    ASSERT_EQ(tuco_fd_set_read_deadline(p->out, TUCO_NEVER), 0);
}

static void read_beside_write_deadline(struct net_pair *p) {
    atomic_store(&ended, 0);
    ASSERT_EQ(tuco_fd_set_write_deadline(p->in, 0), 0);
    net_expect_working(p);
    ASSERT_EQ(tuco_wg_go(&wg, hear_late, p->in), 0);
    ASSERT_EQ(tuco_fd_set_write_deadline(p->in, tuco_deadline(NET_PAUSE / 2)), 0);
    expect_still_waiting();
    ASSERT_EQ(tuco_fd_write(p->in, "x", 1), -ETIMEDOUT);
    net_say(p->out, "late");
    tuco_wg_wait(&wg);
    ASSERT_EQ(tuco_fd_set_write_deadline(p->in, TUCO_NEVER), 0);
}

static int run_main(void *arg) {
    (void)arg;
    struct net_pair p = net_open(net_tcp);
    write_beside_read_deadline(&p);
    read_beside_write_deadline(&p);
    net_close(&p);
    return 0;
}

TEST(deadlines_are_independent) {
    RUN(run_main);
}
