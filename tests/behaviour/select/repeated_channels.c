/* SPDX-License-Identifier: MIT */
/* Proves: a select with more cases than fit on the stack, with one channel once and all
   others twice, locks each channel once, whether it takes the default or waits. */
#include "chans.h"

#define CHANNELS 20
#define CASES    (2 * CHANNELS - 1)

static tuco_chan *channels[CHANNELS];
static int values[CASES];

/* Lists every channel once, and all but one again. */
static void fill_cases(tuco_case *cases, int lone) {
    for (int i = 0; i < CASES; i++) {
        int which = i < CHANNELS ? i : i - CHANNELS;
        which += i >= CHANNELS && which >= lone;
        cases[i] = (tuco_case)TUCO_RECV(channels[which], &values[i]);
    }
}

static void select_nothing(int lone) {
    tuco_case cases[CASES + 1];
    fill_cases(cases, lone);
    cases[CASES] = (tuco_case)TUCO_DEFAULT;
    ASSERT_EQ(tuco_select(cases, CASES + 1), CASES);
}

static void wait_for_lone(void *arg) {
    tuco_case cases[CASES];
    int lone = *(int *)arg;
    fill_cases(cases, lone);
    ASSERT_EQ(tuco_select(cases, CASES), lone);
    ASSERT_EQ(values[lone], lone + 1);
}

static int run_main(void *arg) {
    (void)arg;
    for (int i = 0; i < CHANNELS; i++) {
        channels[i] = CHAN(int, 0);
    }
    for (int lone = 0; lone < CHANNELS; lone++) { // at every place in the order of locks
        tuco_wg end = {0};
        select_nothing(lone);
        ASSERT_EQ(tuco_wg_go(&end, wait_for_lone, &lone), 0);
        test_await_waiting(1);
        test_send(channels[lone], lone + 1);
        tuco_wg_wait(&end);
    }
    for (int i = 0; i < CHANNELS; i++) {
        tuco_chan_unref(channels[i]);
    }
    return 0;
}

TEST(repeated_channels) {
    RUN(run_main);
}
