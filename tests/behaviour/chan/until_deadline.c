/* SPDX-License-Identifier: MIT */
/* Proves: the forms with a deadline time out at the deadline and not before, and leave
   the channel and the value unchanged. A call that need not wait succeeds even after its
   deadline. */
#include "chans.h"

#define WAIT (5 * TUCO_MILLISECOND)

static void expect_at_once(tuco_chan *c, tuco_time deadline) {
    int value = 3;
    int got = -1;
    ASSERT_EQ(tuco_chan_recv_until(c, &got, deadline), -ETIMEDOUT);
    ASSERT_EQ(got, -1);
    ASSERT_EQ(tuco_chan_send_until(c, &value, deadline), 0); // there is room for one
    ASSERT_EQ(tuco_chan_send_until(c, &value, deadline), -ETIMEDOUT);
    ASSERT_EQ(tuco_chan_len(c), 1);
    ASSERT_EQ(tuco_chan_recv_until(c, &got, deadline), 0);
    ASSERT_EQ(got, 3);
}

static void expect_waits(tuco_chan *c) {
    int value = 4;
    int got = -1;
    tuco_time begin = tuco_now();
    ASSERT_EQ(tuco_chan_recv_until(c, &got, begin + WAIT), -ETIMEDOUT);
    ASSERT_GE(tuco_now() - begin, WAIT);
    ASSERT_EQ(got, -1);
    ASSERT_EQ(tuco_chan_send(c, &value), 0);
    begin = tuco_now();
    ASSERT_EQ(tuco_chan_send_until(c, &value, begin + WAIT), -ETIMEDOUT);
    ASSERT_GE(tuco_now() - begin, WAIT);
    ASSERT_EQ(tuco_chan_len(c), 1);
    ASSERT_EQ(test_recv(c), 4);
}

static int run_main(void *arg) {
    (void)arg;
    tuco_chan *c = CHAN(int, 1);
    expect_at_once(c, 0);
    expect_at_once(c, -1);
    expect_at_once(c, INT64_MIN);
    expect_at_once(c, tuco_now());
    expect_at_once(c, tuco_deadline(-TUCO_SECOND));
    expect_waits(c);
    tuco_chan_close(c);
    ASSERT_EQ(tuco_chan_recv_until(c, NULL, 0), -EPIPE);
    ASSERT_EQ(tuco_chan_send_until(c, &(int){1}, 0), -EPIPE);
    tuco_chan_unref(c);
    return 0;
}

TEST(until_deadline) {
    RUN(run_main);
}

static void on_thread(void *arg) {
    run_main(arg);
}

TEST(until_deadline_on_thread) {
    on_thread(NULL); // no runtime is needed
    ASSERT_EQ(tuco_start(), 0);
    test_threads_run(4, on_thread, NULL);
    ASSERT_EQ(tuco_stop(TUCO_NEVER), 0);
}
