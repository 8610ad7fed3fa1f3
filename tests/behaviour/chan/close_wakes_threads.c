/* SPDX-License-Identifier: MIT */
/* Proves: a close wakes foreign threads and goroutines alike, on both sides. */
#include "chans.h"

#define EACH   4
#define ROUNDS TEST_SIZE(100, 20)

static tuco_chan *c;
static tuco_chan *full;
static atomic_int woken;

static void wait_to_receive(void *arg) {
    (void)arg;
    int value = -1;
    ASSERT_EQ(tuco_chan_recv(c, &value), -EPIPE);
    ASSERT_EQ(value, 0);
    atomic_fetch_add(&woken, 1);
}

static void wait_to_send_or_receive(void *arg) {
    (void)arg;
    int value = -1;
    tuco_case cases[] = {TUCO_RECV(c, &value), TUCO_SEND(full, &value)};
    int chosen = tuco_select(cases, 2);
    ASSERT_GE(chosen, 0);
    ASSERT_EQ(cases[chosen].result, -EPIPE);
    ASSERT_EQ(value, chosen == 0 ? 0 : -1);
    atomic_fetch_add(&woken, 1);
}

static void one_round(int round) {
    struct test_thread threads[2 * EACH];
    tuco_wg end = {0};
    c = CHAN(int, 0);
    full = CHAN(int, 0);
    atomic_store(&woken, 0);
    for (int i = 0; i < 2 * EACH; i++) {
        tuco_fn *fn = i % 2 == 0 ? wait_to_receive : wait_to_send_or_receive;
        test_thread_start(&threads[i], fn, NULL);
        ASSERT_EQ(tuco_wg_go(&end, fn, NULL), 0);
    }
    test_await_waiting(4 * EACH);
    ASSERT_EQ(atomic_load(&woken), 0);
    tuco_chan_close(round % 2 == 0 ? c : full);
    tuco_chan_close(round % 2 == 0 ? full : c);
    tuco_wg_wait(&end);
    for (int i = 0; i < 2 * EACH; i++) {
        test_thread_join(&threads[i]);
    }
    ASSERT_EQ(atomic_load(&woken), 4 * EACH);
    tuco_chan_unref(c);
    tuco_chan_unref(full);
}

TEST(close_wakes_threads) {
    ASSERT_EQ(tuco_start(), 0);
    for (int i = 0; i < ROUNDS; i++) {
        one_round(i);
    }
    ASSERT_EQ(tuco_stop(TUCO_NEVER), 0);
}
