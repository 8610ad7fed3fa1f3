/* SPDX-License-Identifier: MIT */
/* Proves: channels of elements without bytes count, block and close like any other
   (CH-13). */
#include "chans.h"

static tuco_wg end;

static void send_one(void *c) {
    ASSERT_EQ(tuco_chan_send(c, NULL), 0);
}

static void fill(tuco_chan *c, size_t capacity) {
    char touched = 'x';
    for (size_t i = 0; i < capacity; i++) {
        ASSERT_EQ(tuco_chan_len(c), i);
        ASSERT_EQ(tuco_chan_send(c, i % 2 == 0 ? &touched : NULL), 0);
    }
    ASSERT_EQ(tuco_chan_try_send(c, &touched), -EAGAIN);
}

static void try_capacity(size_t capacity) {
    tuco_chan *c = tuco_chan_make(0, capacity);
    ASSERT_EQ(c != NULL ? 0 : -ENOMEM, 0);
    ASSERT_EQ(tuco_chan_cap(c), capacity);
    fill(c, capacity);
    ASSERT_EQ(tuco_wg_go(&end, send_one, c), 0);
    test_await_waiting(1);
    char untouched = 'x';
    for (size_t i = 0; i <= capacity; i++) {
        ASSERT_EQ(tuco_chan_recv(c, i % 2 == 0 ? &untouched : NULL), 0);
    }
    tuco_wg_wait(&end);
    ASSERT_EQ(tuco_chan_try_recv(c, &untouched), -EAGAIN);
    fill(c, capacity);
    tuco_chan_close(c);
    for (size_t i = 0; i < capacity; i++) {
        ASSERT_EQ(tuco_chan_recv(c, &untouched), 0);
    }
    ASSERT_EQ(tuco_chan_recv(c, &untouched), -EPIPE);
    ASSERT_EQ(untouched, 'x');
    tuco_chan_unref(c);
}

static int run_main(void *arg) {
    (void)arg;
    try_capacity(0);
    try_capacity(1);
    try_capacity(8);
    return 0;
}

TEST(zero_size_elements) {
    RUN(run_main);
}

/* There is nothing to store, so that the largest capacity needs no memory. */
TEST(huge_capacity) {
    ASSERT(tuco_chan_make(0, (size_t)UINT32_MAX + 1) == NULL);
    tuco_chan *c = tuco_chan_make(0, UINT32_MAX);
    ASSERT_EQ(c != NULL ? 0 : -ENOMEM, 0);
    ASSERT_EQ(tuco_chan_cap(c), UINT32_MAX);
    ASSERT_EQ(tuco_chan_try_send(c, NULL), 0);
    ASSERT_EQ(tuco_chan_len(c), 1);
    tuco_chan_unref(c);
}
