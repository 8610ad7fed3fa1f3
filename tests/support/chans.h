/* SPDX-License-Identifier: MIT */
/* chans.h: helpers for tests of channels: create, use, and detect waiters. */
#ifndef TEST_CHANS_H
#define TEST_CHANS_H

#include "test.h"

#include <errno.h>

/* Creates a channel of that type, or fails the test. */
#define CHAN(type, capacity) test_chan_make(__FILE__, __LINE__, sizeof(type), capacity)
tuco_chan *test_chan_make(const char *file, int line, size_t elem_size, size_t capacity);

/* For channels of int; require success. */
void test_send(tuco_chan *c, int value);
int test_recv(tuco_chan *c);

/* Requires that the channel is closed and drained: every receive operation reports it and
   zeroes the destination. */
void test_expect_drained(tuco_chan *c);

/* Starts the runtime, and there calls try_capacity for each capacity below end. */
void test_each_capacity(size_t end, void (*try_capacity)(size_t capacity));

/* The number of goroutines and foreign threads that wait in the library, except those
   that wait for a stack. */
int test_waiting(void);

/* Yields until n goroutines and threads wait. A waiter for a channel is then in the
   channel's queue. */
void test_await_waiting(int n);

#endif
