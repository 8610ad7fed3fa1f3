/* SPDX-License-Identifier: MIT */
/* Proves: two cases on one channel are both chosen often, whether the select finds a
   partner or a partner finds the select (SE-10). */
#include "chans.h"

static void receive_into(tuco_chan *c, int *counts) {
    for (int i = 0; i < 100; i++) {
        int value = test_recv(c);
        ASSERT(value == 0 || value == 1);
        counts[value]++;
    }
}

static void send_either(void *c) {
    for (int i = 0; i < 100; i++) {
        int zero = 0;
        int one = 1;
        tuco_case cases[] = {TUCO_SEND(c, &one), TUCO_SEND(c, &zero)};
        ASSERT_GE(tuco_select(cases, 2), 0);
    }
}

/* Both cases use the same channel; its buffer holds all values, or none. */
static int same_main(void *arg) {
    size_t capacity = *(size_t *)arg;
    tuco_chan *c = CHAN(int, capacity);
    tuco_wg end = {0};
    int counts[2] = {0};
    ASSERT_EQ(tuco_wg_go(&end, send_either, c), 0);
    if (capacity > 0) {
        tuco_wg_wait(&end);
    }
    receive_into(c, counts);
    tuco_wg_wait(&end);
    ASSERT_GT(counts[0], 10);
    ASSERT_GT(counts[1], 10);
    tuco_chan_unref(c);
    return 0;
}

TEST(same_channel_twice) {
    ASSERT_EQ(tuco_run(same_main, &(size_t){100}), 0);
    ASSERT_EQ(tuco_run(same_main, &(size_t){0}), 0);
}

static void send_either_once(void *c) {
    int zero = 0;
    int one = 1;
    tuco_case cases[] = {TUCO_SEND(c, &one), TUCO_SEND(c, &zero)};
    ASSERT_GE(tuco_select(cases, 2), 0);
}

/* The select waits first, and the receiver finds both of its cases. */
static int waiting_main(void *arg) {
    (void)arg;
    tuco_chan *c = CHAN(int, 0);
    tuco_wg end = {0};
    int counts[2] = {0};
    for (int i = 0; i < 100; i++) {
        ASSERT_EQ(tuco_wg_go(&end, send_either_once, c), 0);
        test_await_waiting(1);
        counts[test_recv(c)]++;
        tuco_wg_wait(&end);
    }
    ASSERT_GT(counts[0], 10);
    ASSERT_GT(counts[1], 10);
    tuco_chan_unref(c);
    return 0;
}

TEST(same_channel_twice_while_waiting) {
    RUN(waiting_main);
}
