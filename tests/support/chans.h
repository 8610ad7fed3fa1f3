/* SPDX-License-Identifier: MIT */
/* chans.h: channels in tests: making them, using them, knowing that somebody waits. */
#ifndef TEST_CHANS_H
#define TEST_CHANS_H

#include "test.h"

#include <errno.h>

/* Makes a channel of that type, or ends the test. */
#define CHAN(type, capacity) test_chan_make(__FILE__, __LINE__, sizeof(type), capacity)
tuco_chan *test_chan_make(const char *file, int line, size_t elem_size, size_t capacity);

/* For channels of int, where nothing but success is expected. */
void test_send(tuco_chan *c, int value);
int test_recv(tuco_chan *c);

/* The channel is closed and drained: every way to receive says so, and zeroes the
   destination. */
void test_expect_drained(tuco_chan *c);

/* How many goroutines and foreign threads wait for something of the library. Those who
   wait for memory do not count. */
int test_waiting(void);

/* Lets others run until so many wait. Whoever waits for a channel is in its queue then. */
void test_await_waiting(int n);

/* Lets others run until only the caller is left: whoever is on its way out has given back
   what it held. */
void test_await_alone(void);

#endif
