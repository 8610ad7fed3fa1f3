/* SPDX-License-Identifier: MIT */
/* Proves: operations succeed until the deadline and fail from then on; none fails before
   (NP-02). */
#include "net.h"

#define SPAN (10 * TUCO_MILLISECOND)

static const char much[NET_TOO_MUCH];

/* The peer writes first, so that no read waits. Returns how many reads succeeded: 0 if
   the machine was too busy. */
static int read_until(struct net_pair *p, tuco_time deadline) {
    char byte = 'x';
    int count = 0;
    ssize_t n;
    ASSERT_EQ(tuco_fd_set_read_deadline(p->in, deadline), 0);
    do {
        ASSERT_EQ(tuco_fd_write(p->out, "x", 1), 1);
        n = tuco_fd_read(p->in, &byte, 1);
        count += n == 1;
    } while (n == 1);
    ASSERT_EQ(n, -ETIMEDOUT);
    ASSERT_GE(tuco_now(), deadline);
    ASSERT_EQ(tuco_fd_read(p->in, &byte, 1), -ETIMEDOUT);
    ASSERT_EQ(tuco_fd_set_read_deadline(p->in, TUCO_NEVER), 0);
    net_hear(p->in, "x"); // arrived too late
    return count;
}

static int write_until(struct net_pair *p, tuco_time deadline) {
    int count = 0;
    ssize_t n;
    ASSERT_EQ(tuco_fd_set_write_deadline(p->out, deadline), 0);
    while ((n = tuco_fd_write(p->out, "y", 1)) == 1) {
        net_hear(p->in, "y");
        count++;
    }
    ASSERT_EQ(n, -ETIMEDOUT);
    ASSERT_GE(tuco_now(), deadline);
    ASSERT_EQ(tuco_fd_write(p->out, "y", 1), -ETIMEDOUT);
    ASSERT_EQ(tuco_fd_set_write_deadline(p->out, TUCO_NEVER), 0);
    return count;
}

/* No byte arrives and no byte is taken, so that the wait lasts for the whole span. */
static void wait_until(struct net_pair *p) {
    tuco_time deadline = tuco_deadline(SPAN);
    ASSERT_EQ(tuco_fd_set_deadline(p->in, deadline), 0);
    for (int i = 0; i < 2; i++) {
        ASSERT_EQ(tuco_fd_read(p->in, &(char){0}, 1), -ETIMEDOUT);
        ASSERT_GE(tuco_now(), deadline);
    }
    deadline = tuco_deadline(SPAN);
    ASSERT_EQ(tuco_fd_set_deadline(p->out, deadline), 0);
    for (int i = 0; i < 2; i++) {
        ASSERT_EQ(tuco_fd_write(p->out, much, sizeof much), -ETIMEDOUT);
        ASSERT_GE(tuco_now(), deadline);
    }
}

static int run_main(void *arg) {
    net_kind *kinds[] = {net_tcp, net_pipe};
    (void)arg;
    for (int i = 0; i < 2; i++) {
        struct net_pair p = net_open(kinds[i]);
        while (read_until(&p, tuco_deadline(SPAN)) == 0) {
        }
        while (write_until(&p, tuco_deadline(SPAN)) == 0) {
        }
        wait_until(&p);
        net_close(&p);
    }
    return 0;
}

TEST(future_deadline) {
    RUN(run_main);
}
