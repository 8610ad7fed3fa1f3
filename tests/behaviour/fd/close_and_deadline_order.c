/* SPDX-License-Identifier: MIT */
/* Proves: a reader that a close or a passed deadline ends sees all writes made before the
   close or before the deadline was set; the closer sees all that the reader wrote before
   its read. */
#include "net.h"

#define ROUNDS TEST_SIZE(300, 60)

static tuco_fd *f;
static int by_reader, by_ender; /* plain: ThreadSanitizer reports a missing ordering */

static void read_until_closed(void *arg) {
    (void)arg;
    by_reader = 1;
    ASSERT_EQ(tuco_fd_read(f, &(char){0}, 1), -ECANCELED);
    ASSERT_EQ(by_ender, 1);
}

static void read_until_deadline(void *arg) {
    (void)arg;
    ASSERT_EQ(tuco_fd_read(f, &(char){0}, 1), -ETIMEDOUT);
    ASSERT_EQ(by_ender, 1);
}

static int run_main(void *arg) {
    tuco_wg end = {0};
    (void)arg;
    for (int i = 0; i < ROUNDS; i++) {
        struct net_pair p = net_open(net_socketpair);
        f = p.in;
        by_ender = 0;
        ASSERT_EQ(tuco_wg_go(&end, read_until_deadline, NULL), 0);
        test_await_waiting(1);
        by_ender = 1;
        ASSERT_EQ(tuco_fd_set_deadline(f, i % 2 == 0 ? 1 : tuco_now() + 1000), 0);
        tuco_wg_wait(&end);

        ASSERT_EQ(tuco_fd_set_deadline(f, TUCO_NEVER), 0);
        by_ender = by_reader = 0;
        ASSERT_EQ(tuco_wg_go(&end, read_until_closed, NULL), 0);
        test_await_waiting(1);
        by_ender = 1;
        ASSERT_EQ(tuco_fd_close(f), 0);
        ASSERT_EQ(by_reader, 1);
        tuco_wg_wait(&end);
        ASSERT_EQ(tuco_fd_close(p.out), 0);
    }
    return 0;
}

TEST(close_and_deadline_order) {
    RUN(run_main);
}
