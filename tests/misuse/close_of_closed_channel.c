/* SPDX-License-Identifier: MIT */
/* Proves: closing a channel twice, or closing NULL, ends the process with Go's
   message. */
#include "chans.h"

static int twice_main(void *arg) {
    (void)arg;
    tuco_chan *c = CHAN(int, 1);
    tuco_chan_close(c);
    tuco_chan_close(c);
    return 0;
}

/* Closes a channel with values in it, in another goroutine. */
static void close_again(void *c) {
    tuco_chan_close(c);
}

static int others_main(void *arg) {
    (void)arg;
    tuco_chan *c = CHAN(int, 1);
    tuco_wg wg = {0};
    test_send(c, 1);
    tuco_chan_close(c);
    ASSERT_EQ(tuco_wg_go(&wg, close_again, c), 0);
    tuco_wg_wait(&wg);
    return 0;
}

static int nil_main(void *arg) {
    (void)arg;
    tuco_chan_close(NULL);
    return 0;
}

static void twice_on_thread(void *arg) {
    (void)arg;
    tuco_chan *c = CHAN(int, 0);
    tuco_chan_close(c);
    tuco_chan_close(c);
}

TEST(close_of_closed_channel) {
    RUN_DIES(twice_main, "panic: close of closed channel");
    RUN_DIES(others_main, "panic: close of closed channel");
    EXPECT_DEATH(twice_on_thread, NULL, "panic: close of closed channel");
}

TEST(close_of_nil_channel) {
    RUN_DIES(nil_main, "panic: close of nil channel");
}
