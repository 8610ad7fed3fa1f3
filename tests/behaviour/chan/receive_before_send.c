/* SPDX-License-Identifier: MIT */
/* Proves: a send that takes the place freed by a receive sees all writes made before that
   receive: a channel of capacity 1 works as a lock. */
#include "chans.h"

#define ROUNDS TEST_SIZE(5000, 1000)

static tuco_wg end;
static tuco_chan *c;
static int plain; /* ThreadSanitizer reports a missing ordering */

static void add_under_channel(void *arg) {
    (void)arg;
    for (int i = 0; i < ROUNDS; i++) {
        test_send(c, 1);
        plain++;
        test_recv(c);
    }
}

static int lock_main(void *arg) {
    (void)arg;
    plain = 0;
    c = CHAN(int, 1);
    for (int i = 0; i < 4; i++) {
        ASSERT_EQ(tuco_wg_go(&end, add_under_channel, NULL), 0);
    }
    tuco_wg_wait(&end);
    ASSERT_EQ(plain, 4 * ROUNDS);
    tuco_chan_unref(c);
    return 0;
}

TEST(receive_before_send) {
    RUN(lock_main);
}
