/* SPDX-License-Identifier: MIT */
/* Proves: a wait never ends before its deadline; for at least one span from 1 ms to 4 s
   it ends at most a tenth of the span later (NP-06). */
/* serial */
#include "net.h"

#define SHORTEST (1 * TUCO_MILLISECOND)
#define LONGEST  (4 * TUCO_SECOND)

static const char much[NET_TOO_MUCH];

static ssize_t wait_to_read(struct net_pair *p) {
    return tuco_fd_read(p->in, &(char){0}, 1);
}

static ssize_t wait_to_receive(struct net_pair *p) {
    return tuco_fd_recvfrom(p->in, &(char){0}, 1, NULL, NULL);
}

static ssize_t wait_to_write(struct net_pair *p) {
    return tuco_fd_write(p->out, much, sizeof much);
}

typedef ssize_t wait_fn(struct net_pair *p);

/* Returns how long after its deadline the wait ended. */
static tuco_time lateness(struct net_pair *p, wait_fn *wait, tuco_time span) {
    tuco_time begin = tuco_now();
    ASSERT_EQ(tuco_fd_set_deadline(p->in, begin + span), 0);
    ASSERT_EQ(tuco_fd_set_deadline(p->out, begin + span), 0);
    ASSERT_EQ(wait(p), -ETIMEDOUT);
    tuco_time late = tuco_now() - (begin + span);
    ASSERT_GE(late, 0);
    return late;
}

static void expect_precise(net_kind *kind, wait_fn *wait) {
    struct net_pair p = net_open(kind);
    tuco_time span = SHORTEST;
    while (lateness(&p, wait, span) > span / 10) {
        span *= 2;
        ASSERT_LE(span, LONGEST);
    }
    net_close(&p);
}

static int run_main(void *arg) {
    (void)arg;
    expect_precise(net_tcp, wait_to_read);
    expect_precise(net_udp, wait_to_receive);
    expect_precise(net_tcp, wait_to_write);
    expect_precise(net_pipe, wait_to_read);
    return 0;
}

TEST(deadline_is_precise) {
    RUN(run_main);
}
