/* SPDX-License-Identifier: MIT */
/* Proves: a select does exactly one of its operations, though several have partners at
   once (SE-11). */
#include "chans.h"

#include <string.h>

#define INPUTS 4
#define VALUES TEST_SIZE(100000, 5000)

static tuco_wg end;
static tuco_chan *inputs[INPUTS];
static tuco_chan *merged;
static unsigned char seen[100000];

static void send_to_any(void *arg) {
    (void)arg;
    for (int i = 0; i < VALUES; i++) {
        int value = i;
        tuco_case cases[INPUTS];
        for (int k = 0; k < INPUTS; k++) {
            cases[k] = (tuco_case)TUCO_SEND(inputs[k], &value);
        }
        int chosen = tuco_select(cases, INPUTS);
        ASSERT_GE(chosen, 0);
        ASSERT_EQ(cases[chosen].result, 0);
    }
    for (int k = 0; k < INPUTS; k++) {
        tuco_chan_close(inputs[k]);
    }
}

static void pass_on(void *input) {
    int value;
    while (tuco_chan_recv(input, &value) == 0) {
        test_send(merged, value);
    }
}

static void close_merged(void *arg) {
    (void)arg;
    tuco_wg_wait(&end);
    tuco_chan_close(merged);
    tuco_chan_unref(merged);
}

static int run_main(void *arg) {
    (void)arg;
    int count = 0;
    int value;
    memset(seen, 0, sizeof(seen));
    merged = tuco_chan_ref(CHAN(int, 0));
    for (int k = 0; k < INPUTS; k++) {
        inputs[k] = CHAN(int, 0);
        ASSERT_EQ(tuco_wg_go(&end, pass_on, inputs[k]), 0);
    }
    ASSERT_EQ(tuco_wg_go(&end, send_to_any, NULL), 0);
    ASSERT_EQ(tuco_go(close_merged, NULL), 0);
    while (tuco_chan_recv(merged, &value) == 0) {
        ASSERT_EQ(seen[value]++, 0);
        count++;
    }
    ASSERT_EQ(count, VALUES);
    for (int k = 0; k < INPUTS; k++) {
        tuco_chan_unref(inputs[k]);
    }
    tuco_chan_unref(merged);
    test_await_alone();
    return 0;
}

TEST(exactly_one_case) {
    RUN(run_main);
}
