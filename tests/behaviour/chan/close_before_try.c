/* SPDX-License-Identifier: MIT */
/* Proves: a goroutine that finds a channel closed without taking its lock sees all writes
   made before the close. */
#include "chans.h"

#define ROUNDS TEST_SIZE(500, 100)

static tuco_wg end;
static tuco_chan *c;
static int plain; /* ThreadSanitizer reports a missing ordering */

static void write_and_close(void *arg) {
    plain = 7;
    tuco_chan_close(arg);
}

static int close_main(void *arg) {
    (void)arg;
    for (int i = 0; i < ROUNDS; i++) {
        plain = 0;
        c = CHAN(int, 0);
        ASSERT_EQ(tuco_wg_go(&end, write_and_close, c), 0);
        while (tuco_chan_try_recv(c, NULL) == -EAGAIN) {
            tuco_yield();
        }
        ASSERT_EQ(plain, 7);
        tuco_wg_wait(&end);
        tuco_chan_unref(c);
    }
    return 0;
}

TEST(close_before_try) {
    RUN(close_main);
}
