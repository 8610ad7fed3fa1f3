/* SPDX-License-Identifier: MIT */
/* Proves: a select chooses the default only if no case was ready at one instant: if one
   channel becomes ready before another is emptied, it does not (SE-07). */
#include "chans.h"

#define ROUNDS TEST_SIZE(100000, 5000)

static tuco_wg end;
static tuco_chan *first;
static tuco_chan *second;
static tuco_chan *start;

static void look_at_both(void *arg) {
    (void)arg;
    while (tuco_chan_recv(start, NULL) == 0) {
        int value;
        tuco_case cases[] = {TUCO_RECV(first, &value), TUCO_RECV(second, &value),
                             TUCO_DEFAULT};
        ASSERT_NE(tuco_select(cases, 3), 2);
        tuco_wg_done(&end);
    }
}

static int run_main(void *arg) {
    (void)arg;
    first = CHAN(int, 1);
    second = CHAN(int, 1);
    start = CHAN(int, 1);
    tuco_wg ended = {0};
    ASSERT_EQ(tuco_wg_go(&ended, look_at_both, NULL), 0);
    for (int i = 0; i < ROUNDS; i++) {
        test_send(first, 1);
        tuco_wg_add(&end, 1);
        test_send(start, 1);
        for (volatile int delay = i % 128; delay > 0; delay--) {
        }
        test_send(second, 1);
        tuco_chan_try_recv(first, NULL);
        tuco_wg_wait(&end);
        tuco_chan_try_recv(first, NULL);
        tuco_chan_try_recv(second, NULL);
    }
    tuco_chan_close(start);
    tuco_wg_wait(&ended);
    tuco_chan_unref(first);
    tuco_chan_unref(second);
    tuco_chan_unref(start);
    return 0;
}

TEST(default_sees_one_instant) {
    RUN(run_main);
}
