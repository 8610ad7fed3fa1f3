/* SPDX-License-Identifier: MIT */
/* Proves: numbers that a select distributes over channels, and that goroutines merge
   again, all arrive, once each; then all goroutines end (WP-04). */
#include "chans.h"

#include <stdlib.h>

#define WAYS    8
#define NUMBERS TEST_SIZE(100000, 4000)

static tuco_wg relays;
static tuco_chan *ways[WAYS];
static tuco_chan *out;

static void spread(void *arg) {
    (void)arg;
    for (int i = 0; i < NUMBERS; i++) {
        tuco_case cases[WAYS];
        for (int k = 0; k < WAYS; k++) {
            cases[k] = (tuco_case)TUCO_SEND(ways[k], &i);
        }
        ASSERT_GE(tuco_select(cases, WAYS), 0);
    }
    for (int k = 0; k < WAYS; k++) {
        tuco_chan_close(ways[k]);
    }
}

/* Receives from two channels by a select until both are closed. */
static void merge_two(void *arg) {
    tuco_chan **mine = arg;
    tuco_chan *open[2] = {mine[0], mine[1]};
    while (open[0] != NULL || open[1] != NULL) {
        int value;
        tuco_case cases[] = {TUCO_RECV(open[0], &value), TUCO_RECV(open[1], &value)};
        int chosen = tuco_select(cases, 2);
        ASSERT_GE(chosen, 0);
        if (cases[chosen].result == -EPIPE) {
            open[chosen] = NULL;
        } else {
            test_send(out, value);
        }
    }
}

static void close_out(void *arg) {
    (void)arg;
    tuco_wg_wait(&relays);
    tuco_chan_close(out);
}

static int run_main(void *arg) {
    (void)arg;
    bool *seen = calloc(NUMBERS, sizeof(*seen));
    int value;
    int count = 0;
    out = CHAN(int, 16);
    for (int k = 0; k < WAYS; k++) {
        ways[k] = CHAN(int, 0);
    }
    for (int k = 0; k < WAYS; k += 2) {
        ASSERT_EQ(tuco_wg_go(&relays, merge_two, &ways[k]), 0);
    }
    ASSERT_EQ(tuco_wg_go(&relays, spread, NULL), 0);
    ASSERT_EQ(tuco_go(close_out, NULL), 0);
    while (tuco_chan_recv(out, &value) == 0) {
        ASSERT(!seen[value]);
        seen[value] = true;
        count++;
    }
    ASSERT_EQ(count, NUMBERS);
    test_await_alone();
    for (int k = 0; k < WAYS; k++) {
        tuco_chan_unref(ways[k]);
    }
    tuco_chan_unref(out);
    free(seen);
    return 0;
}

TEST(merged_counters) {
    RUN(run_main);
    ASSERT_EQ(tuco_count(), 0);
}
