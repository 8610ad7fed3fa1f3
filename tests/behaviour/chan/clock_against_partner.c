/* SPDX-License-Identifier: MIT */
/* Proves: when a partner arrives at the deadline, a call either transfers the value or
   times out, and a call that times out has no effect. */
#include "chans.h"

#define ROUNDS TEST_SIZE(2000, 300)

static tuco_wg end;
static tuco_chan *there;

static void send_about_then(void *arg) {
    (void)arg;
    for (int i = 0; i < ROUNDS; i++) {
        int value = i;
        int error;
        do {
            tuco_time near = tuco_deadline((i % 20) * TUCO_MICROSECOND);
            error = tuco_chan_send_until(there, &value, near);
        } while (error == -ETIMEDOUT);
        ASSERT_EQ(error, 0);
    }
}

static int race_main(void *arg) {
    (void)arg;
    there = CHAN(int, 0);
    ASSERT_EQ(tuco_wg_go(&end, send_about_then, NULL), 0);
    for (int i = 0; i < ROUNDS; i++) {
        int got = -1;
        int error;
        do {
            tuco_time near = tuco_deadline((i % 17) * TUCO_MICROSECOND);
            error = tuco_chan_recv_until(there, &got, near);
            ASSERT_EQ(got, error == 0 ? i : -1);
        } while (error == -ETIMEDOUT);
        ASSERT_EQ(error, 0);
    }
    tuco_wg_wait(&end);
    tuco_chan_unref(there);
    return 0;
}

TEST(clock_against_partner) {
    RUN(race_main);
}
