/* SPDX-License-Identifier: MIT */
/* Proves: tuco_chan_len() returns how many values a channel holds, and tuco_chan_cap()
   how many it can hold (CH-07). */
#include "chans.h"

static void expect(const tuco_chan *c, size_t len, size_t cap) {
    ASSERT_EQ(tuco_chan_len(c), len);
    ASSERT_EQ(tuco_chan_cap(c), cap);
}

static tuco_wg end;

static void send(void *c) {
    test_send(c, 1);
}

static int run_main(void *arg) {
    (void)arg;
    expect(NULL, 0, 0);
    tuco_chan *c = CHAN(int, 10);
    expect(c, 0, 10);
    for (size_t i = 1; i <= 10; i++) {
        test_send(c, (int)i);
        expect(c, i, 10);
    }
    ASSERT_EQ(tuco_wg_go(&end, send, c), 0);
    test_await_waiting(1);
    expect(c, 10, 10); // a waiting sender does not count
    for (int i = 0; i < 8; i++) {
        test_recv(c);
    }
    tuco_wg_wait(&end);
    expect(c, 3, 10);
    tuco_chan_close(c);
    expect(c, 3, 10);
    tuco_chan_unref(c);

    c = CHAN(int, 0);
    expect(c, 0, 0);
    ASSERT_EQ(tuco_wg_go(&end, send, c), 0);
    test_await_waiting(1);
    expect(c, 0, 0);
    test_recv(c);
    tuco_wg_wait(&end);
    tuco_chan_close(c);
    expect(c, 0, 0);
    tuco_chan_unref(c);
    return 0;
}

TEST(len_and_cap) {
    RUN(run_main);
}
