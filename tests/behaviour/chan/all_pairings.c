/* SPDX-License-Identifier: MIT */
/* Proves: every value arrives once and in order, whether each end of the channel is a
   direct call or a case of a select over many channels. NULL disables a finished case
   (CH-19). */
#include "chans.h"

#define CHANNELS 8
#define MESSAGES 76

static tuco_wg end;
static tuco_chan *channels[CHANNELS];
static atomic_int sent;
static atomic_int received;

/* The channels that a goroutine uses. */
struct task {
    int first;
    int count;
};

static struct task whole = {0, CHANNELS};
static struct task singles[CHANNELS] = {{0, 1}, {1, 1}, {2, 1}, {3, 1},
                                        {4, 1}, {5, 1}, {6, 1}, {7, 1}};

static void send_direct(void *arg) {
    struct task *t = arg;
    for (int i = 0; i < MESSAGES; i++) {
        test_send(channels[t->first], i);
        atomic_fetch_add(&sent, 1);
    }
}

static void recv_direct(void *arg) {
    struct task *t = arg;
    for (int i = 0; i < MESSAGES; i++) {
        ASSERT_EQ(test_recv(channels[t->first]), i);
        atomic_fetch_add(&received, 1);
    }
}

static void send_by_select(void *arg) {
    struct task *t = arg;
    int values[CHANNELS] = {0};
    for (int left = t->count * MESSAGES; left > 0; left--) {
        tuco_case cases[CHANNELS];
        for (int i = 0; i < t->count; i++) {
            tuco_chan *c = values[i] < MESSAGES ? channels[t->first + i] : NULL;
            cases[i] = (tuco_case)TUCO_SEND(c, &values[i]);
        }
        int chosen = tuco_select(cases, (size_t)t->count);
        ASSERT_GE(chosen, 0);
        ASSERT_EQ(cases[chosen].result, 0);
        values[chosen]++;
        atomic_fetch_add(&sent, 1);
    }
}

static void recv_by_select(void *arg) {
    struct task *t = arg;
    int next[CHANNELS] = {0};
    for (int left = t->count * MESSAGES; left > 0; left--) {
        tuco_case cases[CHANNELS];
        int value = -1;
        for (int i = 0; i < t->count; i++) {
            tuco_chan *c = next[i] < MESSAGES ? channels[t->first + i] : NULL;
            cases[i] = (tuco_case)TUCO_RECV(c, &value);
        }
        int chosen = tuco_select(cases, (size_t)t->count);
        ASSERT_GE(chosen, 0);
        ASSERT_EQ(cases[chosen].result, 0);
        ASSERT_EQ(value, next[chosen]++);
        atomic_fetch_add(&received, 1);
    }
}

/* One goroutine for each channel, or one for all of them. */
static void start(tuco_fn *fn, bool one_for_all) {
    if (one_for_all) {
        ASSERT_EQ(tuco_wg_go(&end, fn, &whole), 0);
        return;
    }
    for (int i = 0; i < CHANNELS; i++) {
        ASSERT_EQ(tuco_wg_go(&end, fn, &singles[i]), 0);
    }
}

static void try_forms(size_t capacity, int form) {
    atomic_store(&sent, 0);
    atomic_store(&received, 0);
    for (int i = 0; i < CHANNELS; i++) {
        channels[i] = CHAN(int, capacity);
    }
    start(form / 3 == 0 ? send_direct : send_by_select, form / 3 == 2);
    start(form % 3 == 0 ? recv_direct : recv_by_select, form % 3 == 2);
    tuco_wg_wait(&end);
    ASSERT_EQ(atomic_load(&sent), CHANNELS * MESSAGES);
    ASSERT_EQ(atomic_load(&received), CHANNELS * MESSAGES);
    for (int i = 0; i < CHANNELS; i++) {
        ASSERT_EQ(tuco_chan_len(channels[i]), 0);
        tuco_chan_unref(channels[i]);
    }
}

static int run_main(void *arg) {
    (void)arg;
    static const size_t capacities[] = {0, 1, 10, 100};
    for (int i = 0; i < 4; i++) {
        for (int form = 0; form < 9; form++) {
            try_forms(capacities[i], form);
        }
    }
    return 0;
}

TEST(all_pairings) {
    RUN(run_main);
}
