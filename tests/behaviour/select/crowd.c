/* SPDX-License-Identifier: MIT */
/* Proves: direct senders and receivers, and selects, on the same buffered and unbuffered
   channels all end (SE-14). */
#include "chans.h"

#define CHANNELS 4
#define VALUES   TEST_SIZE(100000, 1000)

static tuco_wg end;
static tuco_chan *channels[CHANNELS];

static void send_all(void *c) {
    for (int i = 0; i < VALUES; i++) {
        test_send(c, i);
    }
}

static void receive_all(void *c) {
    for (int i = 0; i < VALUES; i++) {
        test_recv(c);
    }
}

/* VALUES on each channel; NULL replaces a channel that is finished. */
static void select_all(bool sends) {
    int left[CHANNELS];
    int value = 0;
    tuco_case cases[CHANNELS];
    for (int k = 0; k < CHANNELS; k++) {
        left[k] = VALUES;
        cases[k] = sends ? (tuco_case)TUCO_SEND(channels[k], &value)
                         : (tuco_case)TUCO_RECV(channels[k], &value);
    }
    for (int n = CHANNELS * VALUES; n > 0; n--) {
        int k = tuco_select(cases, CHANNELS);
        ASSERT_GE(k, 0);
        ASSERT_EQ(cases[k].result, 0);
        if (--left[k] == 0) {
            cases[k] = (tuco_case)TUCO_RECV(NULL, NULL);
        }
    }
}

static void send_by_select(void *arg) {
    (void)arg;
    select_all(true /* sends */);
}

static void receive_by_select(void *arg) {
    (void)arg;
    select_all(false /* sends */);
}

static int run_main(void *arg) {
    (void)arg;
    static const size_t capacities[CHANNELS] = {0, 0, 2, 3};
    for (int k = 0; k < CHANNELS; k++) {
        channels[k] = CHAN(int, capacities[k]);
        ASSERT_EQ(tuco_wg_go(&end, send_all, channels[k]), 0);
        ASSERT_EQ(tuco_wg_go(&end, receive_all, channels[k]), 0);
    }
    ASSERT_EQ(tuco_wg_go(&end, send_by_select, NULL), 0);
    ASSERT_EQ(tuco_wg_go(&end, receive_by_select, NULL), 0);
    tuco_wg_wait(&end);
    for (int k = 0; k < CHANNELS; k++) {
        ASSERT_EQ(tuco_chan_len(channels[k]), 0);
        tuco_chan_unref(channels[k]);
    }
    return 0;
}

TEST(crowd) {
    RUN(run_main);
}
