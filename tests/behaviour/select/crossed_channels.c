/* SPDX-License-Identifier: MIT */
/* Proves: selects that list the same channels in opposite orders and directions do not
   deadlock, and each exchange has one sender and one receiver. */
#include "chans.h"

#define PAIRS     3
#define EXCHANGES TEST_SIZE(20000, 2000)

static tuco_wg end;
static tuco_chan *a;
static tuco_chan *b;
static atomic_int over_a;
static atomic_int over_b;

static void exchange(bool forward) {
    int mine = forward ? 1 : 2;
    for (int i = 0; i < EXCHANGES; i++) {
        int value = mine;
        int got = -1;
        tuco_case to_a = TUCO_SEND(a, &value);
        tuco_case from_b = TUCO_RECV(b, &got);
        tuco_case to_b = TUCO_SEND(b, &value);
        tuco_case from_a = TUCO_RECV(a, &got);
        tuco_case cases[] = {forward ? to_a : to_b, forward ? from_b : from_a};
        int chosen = tuco_select(cases, 2);
        ASSERT_GE(chosen, 0);
        ASSERT_EQ(got, chosen == 0 ? -1 : 3 - mine);
        atomic_fetch_add((chosen == 0) == forward ? &over_a : &over_b, 1);
    }
}

static void forward(void *arg) {
    (void)arg;
    exchange(true);
}

static void backward(void *arg) {
    (void)arg;
    exchange(false);
}

static int run_main(void *arg) {
    (void)arg;
    a = CHAN(int, 0);
    b = CHAN(int, 0);
    for (int i = 0; i < PAIRS; i++) {
        ASSERT_EQ(tuco_wg_go(&end, forward, NULL), 0);
        ASSERT_EQ(tuco_wg_go(&end, backward, NULL), 0);
    }
    tuco_wg_wait(&end);
    ASSERT_EQ(atomic_load(&over_a) + atomic_load(&over_b), 2 * PAIRS * EXCHANGES);
    ASSERT_EQ(atomic_load(&over_a) % 2, 0);
    tuco_chan_unref(a);
    tuco_chan_unref(b);
    return 0;
}

TEST(crossed_channels) {
    RUN(run_main);
}
