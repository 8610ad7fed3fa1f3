/* SPDX-License-Identifier: MIT */
/* Proves: a sender waits while a channel is full, one receive releases it, and its value
   is received last (CH-02). */
#include "chans.h"

#define CAPACITIES 200

static tuco_wg end;
static atomic_int passed;

static void send_last(void *c) {
    test_send(c, (int)tuco_chan_cap(c));
    atomic_store(&passed, 1);
}

static void try_capacity(size_t capacity) {
    tuco_chan *c = CHAN(int, capacity);
    int count = (int)capacity;
    atomic_store(&passed, 0);
    for (int i = 0; i < count; i++) {
        test_send(c, i);
    }
    ASSERT_EQ(tuco_wg_go(&end, send_last, c), 0);
    test_await_waiting(1);
    ASSERT_EQ(tuco_chan_try_send(c, &(int){-1}), -EAGAIN);
    ASSERT_EQ(tuco_chan_len(c), capacity);
    ASSERT_EQ(atomic_load(&passed), 0);
    ASSERT_EQ(test_recv(c), 0);
    tuco_wg_wait(&end);
    ASSERT_EQ(atomic_load(&passed), 1);
    for (int i = 1; i <= count; i++) {
        ASSERT_EQ(test_recv(c), i);
    }
    ASSERT_EQ(tuco_chan_try_recv(c, &(int){-1}), -EAGAIN);
    tuco_chan_unref(c);
}

TEST(send_blocks_while_full) {
    test_each_capacity(CAPACITIES, try_capacity);
}
