/* SPDX-License-Identifier: MIT */
/* Proves: a NULL channel is never ready: send and receive block for ever, the try forms
   return -EAGAIN, and the forms with a deadline time out (CH-12). */
#include "chans.h"

static int send_main(void *arg) {
    (void)arg;
    return tuco_chan_send(NULL, &(int){1});
}

static int recv_main(void *arg) {
    (void)arg;
    return tuco_chan_recv(NULL, NULL);
}

static int send_never_main(void *arg) {
    (void)arg;
    return tuco_chan_send_until(NULL, &(int){1}, TUCO_NEVER);
}

static int recv_never_main(void *arg) {
    (void)arg;
    return tuco_chan_recv_until(NULL, NULL, TUCO_NEVER);
}

TEST(null_blocks_for_ever) {
    RUN_DIES(send_main, "goroutine 1 [chan send (nil chan)]");
    RUN_DIES(recv_main, "goroutine 1 [chan receive (nil chan)]");
    RUN_DIES(send_never_main, "all goroutines are asleep - deadlock!");
    RUN_DIES(recv_never_main, "all goroutines are asleep - deadlock!");
}

static int try_main(void *arg) {
    (void)arg;
    int value = -1;
    ASSERT_EQ(tuco_chan_try_send(NULL, &value), -EAGAIN);
    ASSERT_EQ(tuco_chan_try_recv(NULL, &value), -EAGAIN);
    ASSERT_EQ(tuco_chan_send_until(NULL, &value, 0), -ETIMEDOUT);
    ASSERT_EQ(tuco_chan_recv_until(NULL, &value, tuco_deadline(TUCO_MILLISECOND)),
              -ETIMEDOUT);
    ASSERT_EQ(value, -1);
    tuco_chan_unref(NULL);
    return 0;
}

TEST(null_is_not_ready) {
    RUN(try_main);
}
