/* SPDX-License-Identifier: MIT */
/* Proves: a receive from a closed channel and a send to it are always ready, with -EPIPE
   (SE-04). */
#include "chans.h"

static int run_main(void *arg) {
    (void)arg;
    tuco_chan *closed = CHAN(int, 2);
    tuco_chan *never = CHAN(int, 0);
    tuco_chan_close(closed);
    int chosen[2] = {0, 0};
    int value = 7;
    for (int i = 0; i < 1000; i++) {
        int got = -1;
        tuco_case cases[] = {TUCO_RECV(never, &value), TUCO_RECV(closed, &got),
                             TUCO_SEND(closed, &value), TUCO_DEFAULT};
        int n = tuco_select(cases, 4);
        ASSERT(n == 1 || n == 2);
        ASSERT_EQ(cases[n].result, -EPIPE);
        ASSERT_EQ(got, n == 1 ? 0 : -1);
        chosen[n - 1]++;
    }
    ASSERT_GT(chosen[0], 100);
    ASSERT_GT(chosen[1], 100);
    ASSERT_EQ(value, 7);
    test_expect_drained(closed);
    tuco_chan_unref(closed);
    tuco_chan_unref(never);
    return 0;
}

TEST(closed_channel_is_ready) {
    RUN(run_main);
}
