/* SPDX-License-Identifier: MIT */
/* Proves: after tuco_fd_raw() a read tries the descriptor before it waits for epoll, even
   after a short read: the program may have changed which events epoll reports. */
#include "net.h"

#include <sys/ioctl.h>

#define TOLD_FROM 100 /* bytes from which on epoll reports */

/* Waits until count bytes have arrived, which epoll does not report. */
static void await_bytes(int number, int count) {
    int there = 0;
    while (there < count) {
        ASSERT_EQ(ioctl(number, FIONREAD, &there), 0);
        tuco_yield();
    }
}

static int run_main(void *arg) {
    (void)arg;
    char bytes[TOLD_FROM];
    int told_from = TOLD_FROM;
    struct net_pair p = net_open(net_dialed);
    int number = tuco_fd_raw(p.in);
    ASSERT_EQ(setsockopt(number, SOL_SOCKET, SO_RCVLOWAT, &told_from, sizeof told_from),
              0);
    /* From here on the descriptor is registered with epoll. */
    ASSERT_EQ(tuco_fd_set_read_deadline(p.in, tuco_deadline(TUCO_MILLISECOND)), 0);
    ASSERT_EQ(tuco_fd_read(p.in, bytes, 1), -ETIMEDOUT);
    ASSERT_EQ(tuco_fd_set_read_deadline(p.in, TUCO_NEVER), 0);
    for (int i = 0; i < 3; i++) {
        net_say(p.out, "xy");
        await_bytes(number, 2);
        ASSERT_EQ(tuco_fd_read(p.in, bytes, sizeof bytes), 2);
    }
    net_close(&p);
    return 0;
}

TEST(known_number_is_tried) {
    RUN(run_main);
}
