/* SPDX-License-Identifier: MIT */
/* Proves: every form of send on a closed channel returns -EPIPE, even if there is room,
   and its value is never received (CH-09). */
#include "chans.h"

static void expect_select_refused(tuco_chan *c) {
    int value = 7;
    int other = -1;
    tuco_case cases[] = {TUCO_SEND(c, &value), TUCO_RECV(NULL, &other),
                         TUCO_SEND(NULL, &value), TUCO_DEFAULT};
    for (size_t n = 1; n <= 4; n++) {
        cases[0].result = 1;
        ASSERT_EQ(tuco_select(cases, n), 0);
        ASSERT_EQ(cases[0].result, -EPIPE);
        cases[0].result = 1;
        ASSERT_EQ(tuco_select_until(cases, n, TUCO_NEVER), 0);
        ASSERT_EQ(cases[0].result, -EPIPE);
    }
    ASSERT_EQ(other, -1);
}

static void try_capacity(int capacity) {
    tuco_chan *c = CHAN(int, (size_t)capacity);
    int value = 7;
    for (int i = 0; i < capacity / 2; i++) {
        test_send(c, i);
    }
    tuco_chan_close(c);
    ASSERT_EQ(tuco_chan_send(c, &value), -EPIPE);
    ASSERT_EQ(tuco_chan_try_send(c, &value), -EPIPE);
    ASSERT_EQ(tuco_chan_send_until(c, &value, TUCO_NEVER), -EPIPE);
    ASSERT_EQ(tuco_chan_send_until(c, &value, tuco_deadline(TUCO_SECOND)), -EPIPE);
    expect_select_refused(c);
    for (int i = 0; i < capacity / 2; i++) {
        ASSERT_EQ(test_recv(c), i);
    }
    test_expect_drained(c);
    ASSERT_EQ(tuco_chan_send(c, &value), -EPIPE);
    tuco_chan_unref(c);
}

static int run_main(void *arg) {
    (void)arg;
    try_capacity(0);
    try_capacity(1);
    try_capacity(10);
    return 0;
}

TEST(send_on_closed_is_refused) {
    RUN(run_main);
}
