/* SPDX-License-Identifier: MIT */
/* Proves: one close wakes all waiting senders, direct and in selects, with -EPIPE, and
   none of their values is ever received (CH-11). */
#include "chans.h"

#define SENDERS 1000

static tuco_wg end;
static atomic_int woken;

static void send(void *c) {
    ASSERT_EQ(tuco_chan_send(c, &(int){-1}), -EPIPE);
    atomic_fetch_add(&woken, 1);
}

static void send_by_select(void *c) {
    int value = -1;
    tuco_case cases[] = {TUCO_RECV(NULL, &value), TUCO_SEND(c, &value)};
    ASSERT_EQ(tuco_select(cases, 2), 1);
    ASSERT_EQ(cases[1].result, -EPIPE);
    atomic_fetch_add(&woken, 1);
}

static void send_by_lone_select(void *c) {
    int value = -1;
    tuco_case cases[] = {TUCO_SEND(c, &value)};
    ASSERT_EQ(tuco_select(cases, 1), 0);
    ASSERT_EQ(cases[0].result, -EPIPE);
    atomic_fetch_add(&woken, 1);
}

static void close_on(int capacity) {
    static tuco_fn *const forms[] = {send, send_by_select, send_by_lone_select};
    tuco_chan *c = CHAN(int, (size_t)capacity);
    atomic_store(&woken, 0);
    for (int i = 0; i < capacity; i++) {
        test_send(c, i);
    }
    for (int i = 0; i < SENDERS; i++) {
        ASSERT_EQ(tuco_wg_go(&end, forms[i % 3], c), 0);
    }
    test_await_waiting(SENDERS);
    ASSERT_EQ(atomic_load(&woken), 0);
    tuco_chan_close(c);
    tuco_wg_wait(&end);
    ASSERT_EQ(atomic_load(&woken), SENDERS);
    for (int i = 0; i < capacity; i++) {
        ASSERT_EQ(test_recv(c), i);
    }
    test_expect_drained(c);
    tuco_chan_unref(c);
}

static int run_main(void *arg) {
    (void)arg;
    close_on(0);
    close_on(1);
    close_on(10);
    return 0;
}

TEST(close_wakes_all_senders) {
    RUN(run_main);
}
