/* SPDX-License-Identifier: MIT */
/* Proves: values in a channel at its close can still be received, in order. After them
   every form of receive stores a zeroed value and returns -EPIPE (CH-03). */
#include "chans.h"

#define CAPACITIES 200

static int receive_somehow(tuco_chan *c, int form) {
    int value = -1;
    tuco_case cases[] = {TUCO_RECV(c, &value), TUCO_RECV(NULL, NULL), TUCO_DEFAULT};
    switch (form) {
    case 0: ASSERT_EQ(tuco_chan_recv(c, &value), 0); break;
    case 1: ASSERT_EQ(tuco_chan_try_recv(c, &value), 0); break;
    case 2: ASSERT_EQ(tuco_chan_recv_until(c, &value, TUCO_NEVER), 0); break;
    default: // one, two and three cases
        ASSERT_EQ(tuco_select(cases, (size_t)form - 2), 0);
        ASSERT_EQ(cases[0].result, 0);
        break;
    }
    return value;
}

static void try_capacity(int capacity) {
    tuco_chan *c = CHAN(int, (size_t)capacity);
    for (int i = 0; i < capacity; i++) {
        test_send(c, i);
    }
    tuco_chan_close(c);
    ASSERT_EQ(tuco_chan_len(c), capacity);
    for (int i = 0; i < capacity; i++) {
        ASSERT_EQ(receive_somehow(c, i % 6), i);
    }
    ASSERT_EQ(tuco_chan_len(c), 0);
    test_expect_drained(c);
    tuco_chan_unref(c);
}

static int run_main(void *arg) {
    (void)arg;
    for (int capacity = 0; capacity < CAPACITIES; capacity++) {
        try_capacity(capacity);
    }
    return 0;
}

TEST(buffer_survives_close) {
    RUN(run_main);
}
