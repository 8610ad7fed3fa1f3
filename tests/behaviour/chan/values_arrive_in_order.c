/* SPDX-License-Identifier: MIT */
/* Proves: what one sender sends, one receiver receives in the same order, through every
   capacity and by every form of receive (CH-05, CH-16). */
#include "chans.h"

#define CAPACITIES 200
#define VALUES     100

static tuco_wg end;

static void produce(void *c) {
    for (int i = 0; i < VALUES; i++) {
        test_send(c, i);
    }
}

static void consume(tuco_chan *c) {
    for (int i = 0; i < VALUES; i++) {
        int value = -1;
        tuco_case cases[] = {TUCO_RECV(NULL, NULL), TUCO_RECV(c, &value)};
        if (i % 3 == 0) {
            ASSERT_EQ(tuco_select(cases, 2), 1);
            ASSERT_EQ(cases[1].result, 0);
        } else if (i % 3 == 1) {
            ASSERT_EQ(tuco_chan_recv(c, &value), 0);
        } else {
            while (tuco_chan_try_recv(c, &value) == -EAGAIN) {
                tuco_yield();
            }
        }
        ASSERT_EQ(value, i);
    }
}

static int run_main(void *arg) {
    (void)arg;
    for (size_t capacity = 0; capacity < CAPACITIES; capacity++) {
        tuco_chan *c = CHAN(int, capacity);
        ASSERT_EQ(tuco_wg_go(&end, produce, c), 0);
        consume(c);
        tuco_wg_wait(&end);
        ASSERT_EQ(tuco_chan_try_recv(c, NULL), -EAGAIN);
        tuco_chan_unref(c);
    }
    return 0;
}

TEST(values_arrive_in_order) {
    RUN(run_main);
}

/* One goroutine fills and empties the buffer at every position of its ring. */
static int buffer_main(void *arg) {
    (void)arg;
    tuco_chan *c = CHAN(int, 10);
    int sent = 0;
    int received = 0;
    for (int round = 0; round < 1000; round++) {
        for (int n = round % 11; n > 0 && tuco_chan_len(c) < 10; n--) {
            test_send(c, sent++);
        }
        for (int n = round * 7 % 11; n > 0 && tuco_chan_len(c) > 0; n--) {
            ASSERT_EQ(test_recv(c), received++);
        }
        ASSERT_EQ(tuco_chan_len(c), sent - received);
    }
    tuco_chan_unref(c);
    return 0;
}

TEST(buffer_goes_round) {
    RUN(buffer_main);
}
