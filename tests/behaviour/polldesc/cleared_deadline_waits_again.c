/* SPDX-License-Identifier: MIT */
/* Proves: a cleared deadline ends no wait, whether it had passed or was still ahead; a
   close then ends the wait with -ECANCELED (NP-03). */
#include "net.h"

#define SPAN (10 * TUCO_MILLISECOND)

static const char much[NET_TOO_MUCH];
static tuco_wg wg;
static atomic_int ended;
static ssize_t result;

static void wait_to_read(void *f) {
    result = tuco_fd_read(f, &(char){0}, 1);
    atomic_store(&ended, 1);
    tuco_fd_unref(f);
}

static void wait_to_receive(void *f) {
    result = tuco_fd_recvfrom(f, &(char){0}, 1, NULL, NULL);
    atomic_store(&ended, 1);
    tuco_fd_unref(f);
}

static void wait_to_write(void *f) {
    result = tuco_fd_write(f, much, sizeof much);
    atomic_store(&ended, 1);
    tuco_fd_unref(f);
}

/* Returns false if the machine was so busy that the deadline passed first. */
static bool clear(tuco_fd *f, tuco_fn *wait, tuco_time deadline) {
    atomic_store(&ended, 0);
    ASSERT_EQ(tuco_fd_set_deadline(f, deadline), 0);
    ASSERT_EQ(tuco_wg_go(&wg, wait, tuco_fd_ref(f)), 0);
    while (test_waiting() < 1 && atomic_load(&ended) == 0) {
        tuco_yield();
    }
    ASSERT_EQ(tuco_fd_set_deadline(f, TUCO_NEVER), 0);
    bool in_time = tuco_now() < deadline;
    if (deadline != TUCO_NEVER) {
        tuco_sleep_until(deadline);
    }
    tuco_sleep(NET_PAUSE);
    ASSERT_EQ(in_time && atomic_load(&ended) != 0 ? result : 0, 0); // it still waits
    ASSERT_EQ(tuco_fd_close(f), 0);
    tuco_wg_wait(&wg);
    ASSERT_EQ(in_time ? result : -ECANCELED, -ECANCELED);
    return in_time;
}

static void clear_past(net_kind *kind, tuco_fn *wait) {
    struct net_pair p = net_open(kind);
    ASSERT_EQ(tuco_fd_set_deadline(p.out, 0), 0);
    ASSERT_EQ(tuco_fd_read(p.out, &(char){0}, 1), -ETIMEDOUT);
    ASSERT_EQ(tuco_fd_write(p.out, "x", 1), -ETIMEDOUT);
    ASSERT(clear(p.out, wait, TUCO_NEVER));
    ASSERT_EQ(tuco_fd_close(p.in), 0);
}

static void clear_future(net_kind *kind, tuco_fn *wait) {
    bool in_time = false;
    for (tuco_time span = SPAN; !in_time; span *= 2) {
        struct net_pair p = net_open(kind);
        in_time = clear(p.out, wait, tuco_deadline(span));
        ASSERT_EQ(tuco_fd_close(p.in), 0);
    }
}

static int run_main(void *arg) {
    (void)arg;
    clear_past(net_tcp, wait_to_read);
    clear_past(net_tcp, wait_to_write);
    clear_past(net_udp, wait_to_receive);
    clear_future(net_tcp, wait_to_read);
    clear_future(net_tcp, wait_to_write);
    clear_future(net_udp, wait_to_receive);
    return 0;
}

TEST(cleared_deadline_waits_again) {
    RUN(run_main);
}
