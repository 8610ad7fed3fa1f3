/* SPDX-License-Identifier: MIT */
/* Proves: for any span from a nanosecond to a second, a wait ends with -ETIMEDOUT, and
   never early because another wait ended (NP-07). */
/* slow */
#include "net.h"

#define RUNS 3

static const tuco_time spans[] = {1,         2,         5,         50,        100,
                                  200,       500,       750,       1000,      5000,
                                  25000,     250000,    500000,    1000000,   5000000,
                                  100000000, 250000000, 500000000, 1000000000};
#define SPANS ((int)(sizeof spans / sizeof spans[0]))

static const char much[NET_TOO_MUCH];
static tuco_wg wg;

static void wait_for(void *raw) {
    tuco_time span = *(const tuco_time *)raw;
    struct net_pair p = net_open(net_socketpair);
    tuco_time deadline = tuco_deadline(span);
    ASSERT_EQ(tuco_fd_set_deadline(p.in, deadline), 0);
    ASSERT_EQ(tuco_fd_read(p.in, &(char){0}, 1), -ETIMEDOUT);
    ASSERT_GE(tuco_now(), deadline);
    deadline = tuco_deadline(span / RUNS);
    ASSERT_EQ(tuco_fd_set_deadline(p.in, deadline), 0);
    ASSERT_EQ(tuco_fd_write(p.in, much, sizeof much), -ETIMEDOUT);
    ASSERT_GE(tuco_now(), deadline);
    net_close(&p);
}

/* All wait at once, so that the test takes no longer than the longest span. */
static int run_main(void *arg) {
    (void)arg;
    for (int i = 0; i < RUNS * SPANS; i++) {
        ASSERT_EQ(tuco_wg_go(&wg, wait_for, (void *)&spans[i % SPANS]), 0);
    }
    tuco_wg_wait(&wg);
    return 0;
}

TEST(any_deadline_comes) {
    RUN(run_main);
}
