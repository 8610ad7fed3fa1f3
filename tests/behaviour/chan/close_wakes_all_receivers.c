/* SPDX-License-Identifier: MIT */
/* Proves: one close wakes all waiting receivers, direct and in selects, with a zeroed
   value and -EPIPE (CH-04). */
#include "chans.h"

#define CAPACITIES 200
#define RECEIVERS  1000

static tuco_wg end;
static atomic_int woken;

static void receive(void *c) {
    int value = -1;
    ASSERT_EQ(tuco_chan_recv(c, &value), -EPIPE);
    ASSERT_EQ(value, 0);
    atomic_fetch_add(&woken, 1);
}

static void receive_by_select(void *c) {
    int value = -1;
    int canary = -1;
    tuco_chan *never = CHAN(int, 1);
    tuco_case cases[] = {TUCO_RECV(never, &canary), TUCO_RECV(c, &value),
                         TUCO_RECV(NULL, &canary)};
    ASSERT_EQ(tuco_select(cases, 3), 1);
    ASSERT_EQ(cases[1].result, -EPIPE);
    ASSERT_EQ(value, 0);
    ASSERT_EQ(canary, -1);
    tuco_chan_unref(never);
    atomic_fetch_add(&woken, 1);
}

static void close_on(int receivers, size_t capacity) {
    tuco_chan *c = CHAN(int, capacity);
    atomic_store(&woken, 0);
    for (int i = 0; i < receivers; i++) {
        tuco_fn *fn = i % 2 == 0 ? receive : receive_by_select;
        ASSERT_EQ(tuco_wg_go(&end, fn, c), 0);
    }
    test_await_waiting(receivers);
    ASSERT_EQ(atomic_load(&woken), 0);
    tuco_chan_close(c);
    tuco_wg_wait(&end);
    ASSERT_EQ(atomic_load(&woken), receivers);
    test_expect_drained(c);
    tuco_chan_unref(c);
}

static int run_main(void *arg) {
    (void)arg;
    for (size_t capacity = 0; capacity < CAPACITIES; capacity++) {
        close_on(2, capacity);
    }
    close_on(RECEIVERS, 0);
    close_on(RECEIVERS, 7);
    return 0;
}

TEST(close_wakes_all_receivers) {
    RUN(run_main);
}
