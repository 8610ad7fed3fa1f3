/* SPDX-License-Identifier: MIT */
/* Proves: a wait with a deadline ends by a value or by the close like any other, and its
   deadline does not disturb what the goroutine does afterwards. */
#include "chans.h"

#define ROUNDS TEST_SIZE(2000, 300)

static tuco_wg end;
static tuco_chan *there;
static tuco_chan *back;
static tuco_time far;

static void answer(void *arg) {
    (void)arg;
    int value;
    while (tuco_chan_recv_until(there, &value, far) == 0) {
        ASSERT_EQ(tuco_chan_send_until(back, &value, far), 0);
    }
}

static int run_main(void *arg) {
    (void)arg;
    there = CHAN(int, 0);
    back = CHAN(int, 0);
    far = tuco_deadline(600 * TUCO_SECOND);
    ASSERT_EQ(tuco_wg_go(&end, answer, NULL), 0);
    for (int i = 0; i < ROUNDS; i++) {
        int got = -1;
        ASSERT_EQ(tuco_chan_send_until(there, &i, far), 0);
        ASSERT_EQ(tuco_chan_recv_until(back, &got, far), 0);
        ASSERT_EQ(got, i);
    }
    test_await_waiting(1);
    tuco_chan_close(there);
    tuco_wg_wait(&end);
    tuco_chan_unref(there);
    tuco_chan_unref(back);
    return 0;
}

TEST(until_is_not_reached) {
    RUN(run_main);
}
