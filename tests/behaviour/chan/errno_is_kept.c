/* SPDX-License-Identifier: MIT */
/* Proves: no operation on a channel changes errno, whatever it returns, in a goroutine
   and in a plain thread. */
#include "chans.h"

static void try_all(void *arg) {
    (void)arg;
    errno = 77;
    tuco_chan *c = CHAN(int, 1);
    int value = 1;
    ASSERT(tuco_chan_make(SIZE_MAX, 2) == NULL);
    ASSERT_EQ(tuco_chan_send(c, &value), 0);
    ASSERT_EQ(tuco_chan_try_send(c, &value), -EAGAIN);
    ASSERT_EQ(tuco_chan_send_until(c, &value, tuco_deadline(1)), -ETIMEDOUT);
    ASSERT_EQ(tuco_chan_recv(c, &value), 0);
    ASSERT_EQ(tuco_chan_recv_until(c, &value, tuco_deadline(1)), -ETIMEDOUT);
    tuco_case cases[] = {TUCO_RECV(c, &value), TUCO_SEND(NULL, &value)};
    ASSERT_EQ(tuco_select_until(cases, 2, tuco_deadline(1)), -ETIMEDOUT);
    ASSERT_EQ(tuco_select(cases, TUCO_SELECT_MAX + 1), -EINVAL);
    tuco_chan_close(c);
    ASSERT_EQ(tuco_chan_send(c, &value), -EPIPE);
    ASSERT_EQ(tuco_chan_recv(c, &value), -EPIPE);
    tuco_chan_unref(c);
    ASSERT_EQ(errno, 77);
}

static int run_main(void *arg) {
    try_all(arg);
    return 0;
}

TEST(errno_is_kept) {
    RUN(run_main);
    try_all(NULL);
}
