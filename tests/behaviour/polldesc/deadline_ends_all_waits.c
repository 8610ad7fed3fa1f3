/* SPDX-License-Identifier: MIT */
/* Proves: a deadline ends all waits of the handle, also of goroutines that queue for
   their turn; a deadline in the far future ends none, and does not overflow. */
#include "net.h"

#define EACH 20

static const char much[NET_TOO_MUCH];
static tuco_wg wg;
static atomic_int late;

static void wait_to_read(void *f) {
    ASSERT_EQ(tuco_fd_read(f, &(char){0}, 1), -ETIMEDOUT);
    atomic_fetch_add(&late, 1);
}

static void wait_to_write(void *f) {
    ASSERT_EQ(tuco_fd_write(f, much, sizeof much), -ETIMEDOUT);
    atomic_fetch_add(&late, 1);
}

static int run_main(void *arg) {
    (void)arg;
    struct net_pair p = net_open(net_socketpair);
    for (int i = 0; i < EACH; i++) {
        ASSERT_EQ(tuco_wg_go(&wg, wait_to_read, p.in), 0);
        ASSERT_EQ(tuco_wg_go(&wg, wait_to_write, p.in), 0);
    }
    test_await_waiting(2 * EACH);
    ASSERT_EQ(tuco_fd_set_deadline(p.in, TUCO_NEVER - 1), 0);
    ASSERT_EQ(tuco_fd_set_deadline(p.in, tuco_deadline(TUCO_NEVER - 1)), 0);
    tuco_sleep(NET_PAUSE);
    ASSERT_EQ(atomic_load(&late), 0);
    ASSERT_EQ(tuco_fd_set_deadline(p.in, tuco_deadline(TUCO_MILLISECOND)), 0);
    tuco_wg_wait(&wg);
    ASSERT_EQ(atomic_load(&late), 2 * EACH);
    net_close(&p);
    return 0;
}

TEST(deadline_ends_all_waits) {
    RUN(run_main);
}
