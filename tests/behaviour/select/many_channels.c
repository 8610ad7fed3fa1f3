/* SPDX-License-Identifier: MIT */
/* Proves: a select over 500 channels, in no order and some of them twice, receives the
   value of each. */
#include "chans.h"

#define CHANNELS 500

static tuco_wg end;
static tuco_chan *channels[CHANNELS];

static void send_to_each(void *arg) {
    (void)arg;
    for (int i = 0; i < CHANNELS; i++) {
        test_send(channels[i * 7 % CHANNELS], i * 7 % CHANNELS);
    }
}

static int different_main(void *arg) {
    (void)arg;
    int value = -1;
    static tuco_case cases[CHANNELS + 50];
    for (int i = 0; i < CHANNELS; i++) {
        channels[i] = CHAN(int, 0);
    }
    for (int i = 0; i < CHANNELS + 50; i++) {
        cases[i] = (tuco_case)TUCO_RECV(channels[i * 3 % CHANNELS], &value);
    }
    ASSERT_EQ(tuco_wg_go(&end, send_to_each, NULL), 0);
    for (int i = 0; i < CHANNELS; i++) {
        int chosen = tuco_select(cases, CHANNELS + 50);
        ASSERT_GE(chosen, 0);
        ASSERT_EQ(value, chosen * 3 % CHANNELS);
        ASSERT_EQ(value, i * 7 % CHANNELS);
    }
    tuco_wg_wait(&end);
    for (int i = 0; i < CHANNELS; i++) {
        tuco_chan_unref(channels[i]);
    }
    return 0;
}

TEST(many_channels) {
    RUN(different_main);
}
