/* SPDX-License-Identifier: MIT */
/* Proves: a receiver sees all writes made before the send or the close. */
#include "chans.h"

#define ROUNDS TEST_SIZE(5000, 1000)

static tuco_wg end;
static tuco_chan *c;
static int plain; /* ThreadSanitizer reports a missing ordering */

static void write_and_send(void *arg) {
    (void)arg;
    for (int i = 1; i <= ROUNDS; i++) {
        plain = i;
        test_send(c, i);
        test_send(c, 0); // returns when the value before has been taken
    }
    plain = -1;
    tuco_chan_close(c);
}

static int send_main(void *arg) {
    (void)arg;
    c = CHAN(int, 0);
    ASSERT_EQ(tuco_wg_go(&end, write_and_send, NULL), 0);
    for (int i = 1; i <= ROUNDS; i++) {
        ASSERT_EQ(test_recv(c), i);
        ASSERT_EQ(plain, i);
        ASSERT_EQ(test_recv(c), 0);
    }
    test_expect_drained(c);
    ASSERT_EQ(plain, -1);
    tuco_wg_wait(&end);
    tuco_chan_unref(c);
    return 0;
}

TEST(send_before_receive) {
    RUN(send_main);
}
