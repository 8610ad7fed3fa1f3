/* SPDX-License-Identifier: MIT */
/* Proves: if a goroutine waits at the other end, the select pairs with it and does not
   choose the default (SE-03). */
#include "chans.h"

#define ROUNDS 100

static tuco_wg end;

static void receive(void *c) {
    ASSERT_EQ(test_recv(c), 5);
}

static void send(void *c) {
    test_send(c, 6);
}

static int partner_main(void *arg) {
    (void)arg;
    tuco_chan *c = CHAN(int, 0);
    int value = 5;
    tuco_case sends[] = {TUCO_SEND(c, &value), TUCO_DEFAULT};
    tuco_case receives[] = {TUCO_DEFAULT, TUCO_RECV(c, &value)};
    for (int i = 0; i < ROUNDS; i++) {
        ASSERT_EQ(tuco_select(sends, 2), 1);
        ASSERT_EQ(tuco_select(receives, 2), 0);
        ASSERT_EQ(tuco_wg_go(&end, receive, c), 0);
        test_await_waiting(1);
        value = 5;
        ASSERT_EQ(tuco_select(sends, 2), 0);
        tuco_wg_wait(&end);
        ASSERT_EQ(tuco_wg_go(&end, send, c), 0);
        test_await_waiting(1);
        ASSERT_EQ(tuco_select(receives, 2), 1);
        ASSERT_EQ(value, 6);
        tuco_wg_wait(&end);
    }
    tuco_chan_unref(c);
    return 0;
}

TEST(partner_beats_default) {
    RUN(partner_main);
}
