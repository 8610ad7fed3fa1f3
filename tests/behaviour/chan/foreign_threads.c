/* SPDX-License-Identifier: MIT */
/* Proves: plain threads and goroutines send to each other and select among themselves,
   in any mixture, with and without a runtime. */
#include "chans.h"

#define EACH   3
#define VALUES TEST_SIZE(600, 150)

static tuco_chan *values;
static tuco_chan *others;
static tuco_wg senders;
static atomic_int seen[2 * EACH * VALUES];
static atomic_int next_sender;
static atomic_int received;

static void send(void *arg) {
    (void)arg;
    int first = atomic_fetch_add(&next_sender, 1) * VALUES;
    for (int i = first; i < first + VALUES; i++) {
        int value = i;
        tuco_case cases[] = {TUCO_SEND(values, &value), TUCO_SEND(others, &value)};
        if (i % 2 == 0) {
            test_send(i % 4 == 0 ? values : others, value);
        } else {
            ASSERT_GE(tuco_select(cases, 2), 0);
        }
    }
    tuco_wg_done(&senders);
}

static void receive(void *arg) {
    (void)arg;
    tuco_chan *open[2] = {values, others};
    while (open[0] != NULL || open[1] != NULL) {
        int value = -1;
        tuco_case cases[] = {TUCO_RECV(open[0], &value), TUCO_RECV(open[1], &value)};
        int chosen = tuco_select(cases, 2);
        ASSERT_GE(chosen, 0);
        if (cases[chosen].result == -EPIPE) {
            open[chosen] = NULL;
        } else {
            ASSERT_EQ(atomic_fetch_add(&seen[value], 1), 0);
            atomic_fetch_add(&received, 1);
        }
    }
}

static void mix(int goroutines, size_t capacity) {
    struct test_thread threads[2 * EACH];
    tuco_wg receivers = {0};
    values = CHAN(int, capacity);
    others = CHAN(int, 0);
    atomic_store(&next_sender, 0);
    atomic_store(&received, 0);
    for (int i = 0; i < 2 * EACH * VALUES; i++) {
        atomic_store(&seen[i], 0);
    }
    tuco_wg_add(&senders, EACH + goroutines);
    for (int i = 0; i < EACH; i++) {
        test_thread_start(&threads[2 * i], send, NULL);
        test_thread_start(&threads[2 * i + 1], receive, NULL);
    }
    for (int i = 0; i < goroutines; i++) {
        ASSERT_EQ(tuco_go(send, NULL), 0);
        ASSERT_EQ(tuco_wg_go(&receivers, receive, NULL), 0);
    }
    tuco_wg_wait(&senders);
    tuco_chan_close(values);
    tuco_chan_close(others);
    for (int i = 0; i < 2 * EACH; i++) {
        test_thread_join(&threads[i]);
    }
    tuco_wg_wait(&receivers);
    ASSERT_EQ(atomic_load(&received), (EACH + goroutines) * VALUES);
    tuco_chan_unref(values);
    tuco_chan_unref(others);
}

TEST(threads_among_themselves) {
    mix(0, 0);
    mix(0, 5);
}

TEST(threads_and_goroutines) {
    ASSERT_EQ(tuco_start(), 0);
    mix(EACH, 0);
    mix(EACH, 5);
    ASSERT_EQ(tuco_stop(TUCO_NEVER), 0);
}
