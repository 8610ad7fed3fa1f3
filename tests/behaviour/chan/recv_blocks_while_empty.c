/* SPDX-License-Identifier: MIT */
/* Proves: receivers wait while a channel is empty, whatever its capacity, and each value
   that is sent releases one of them (CH-01). */
#include "chans.h"

#define CAPACITIES 200

static tuco_wg end;
static atomic_int passed;

static void receive(void *c) {
    test_recv(c);
    atomic_fetch_add(&passed, 1);
}

static void receive_by_select(void *c) {
    int value;
    tuco_case cases[] = {TUCO_RECV(c, &value), TUCO_RECV(NULL, NULL)};
    ASSERT_EQ(tuco_select(cases, 2), 0);
    ASSERT_EQ(cases[0].result, 0);
    atomic_fetch_add(&passed, 1);
}

static void try_capacity(size_t capacity) {
    tuco_chan *c = CHAN(int, capacity);
    atomic_store(&passed, 0);
    ASSERT_EQ(tuco_wg_go(&end, receive, c), 0);
    ASSERT_EQ(tuco_wg_go(&end, receive_by_select, c), 0);
    test_await_waiting(2);
    int value = -1;
    ASSERT_EQ(tuco_chan_try_recv(c, &value), -EAGAIN);
    ASSERT_EQ(value, -1);
    ASSERT_EQ(atomic_load(&passed), 0);
    test_send(c, 1);
    test_await(&passed, 1);
    test_await_waiting(1); // the other receiver
    test_send(c, 2);
    tuco_wg_wait(&end);
    ASSERT_EQ(atomic_load(&passed), 2);
    ASSERT_EQ(tuco_chan_len(c), 0);
    tuco_chan_unref(c);
}

TEST(recv_blocks_while_empty) {
    test_each_capacity(CAPACITIES, try_capacity);
}
