/* SPDX-License-Identifier: MIT */
/* Proves: waiting receivers, and waiting senders, are served in the order in which they
   began to wait, selects included (CH-17). */
#include "chans.h"

#define WAITERS 50

static tuco_wg end;
static tuco_chan *c;
static int order[WAITERS]; /* by waiter: the value it received */

struct number {
    int i;
};

static void receive(void *arg) {
    int i = ((struct number *)arg)->i;
    order[i] = test_recv(c);
    tuco_wg_done(&end);
}

static void receive_by_select(void *arg) {
    int i = ((struct number *)arg)->i;
    tuco_chan *never = CHAN(int, 0);
    tuco_case cases[] = {TUCO_RECV(never, NULL), TUCO_RECV(c, &order[i])};
    ASSERT_EQ(tuco_select(cases, 2), 1);
    tuco_chan_unref(never);
    tuco_wg_done(&end);
}

static void send(void *arg) {
    test_send(c, ((struct number *)arg)->i);
    tuco_wg_done(&end);
}

static void send_by_select(void *arg) {
    int value = ((struct number *)arg)->i;
    tuco_case cases[] = {TUCO_SEND(c, &value), TUCO_RECV(NULL, NULL)};
    ASSERT_EQ(tuco_select(cases, 2), 0);
    tuco_wg_done(&end);
}

static void queue_up(tuco_fn *direct, tuco_fn *by_select) {
    tuco_wg_add(&end, WAITERS);
    for (int i = 0; i < WAITERS; i++) {
        struct number number = {i};
        tuco_fn *fn = i % 3 == 0 ? by_select : direct;
        ASSERT_EQ(tuco_go_copy(fn, &number, sizeof(number)), 0);
        test_await_waiting(i + 1);
    }
}

static void try_capacity(int capacity) {
    c = CHAN(int, (size_t)capacity);
    queue_up(receive, receive_by_select);
    for (int i = 0; i < WAITERS; i++) {
        test_send(c, i);
    }
    tuco_wg_wait(&end);
    for (int i = 0; i < WAITERS; i++) {
        ASSERT_EQ(order[i], i);
    }
    for (int i = 0; i < capacity; i++) {
        test_send(c, i - capacity);
    }
    queue_up(send, send_by_select);
    for (int i = -capacity; i < WAITERS; i++) {
        ASSERT_EQ(test_recv(c), i);
    }
    tuco_wg_wait(&end);
    tuco_chan_unref(c);
}

static int run_main(void *arg) {
    (void)arg;
    try_capacity(0);
    try_capacity(1);
    try_capacity(5);
    return 0;
}

TEST(waiters_are_served_in_turn) {
    RUN(run_main);
}
