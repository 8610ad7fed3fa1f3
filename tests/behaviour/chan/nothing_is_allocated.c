/* SPDX-License-Identifier: MIT */
/* Proves: a send, a receive, a wait and a select of few cases allocate nothing. */
#include "chans.h"
#include "fault.h"

#define ROUNDS TEST_SIZE(2000, 200)

/* Allocations of the runtime itself, which may start a thread meanwhile. */
#define OTHERS 20

static tuco_wg end;

static void answer(void *arg) {
    tuco_chan **pair = arg;
    int value;
    while (tuco_chan_recv(pair[0], &value) == 0) {
        tuco_case cases[] = {TUCO_SEND(pair[1], &value), TUCO_RECV(NULL, NULL)};
        ASSERT_EQ(tuco_select(cases, 2), 0);
    }
}

static void ask(tuco_chan **pair, int value) {
    int got = -1;
    test_send(pair[0], value);
    tuco_case cases[] = {TUCO_RECV(NULL, NULL), TUCO_RECV(pair[1], &got)};
    ASSERT_EQ(tuco_select_until(cases, 2, tuco_deadline(600 * TUCO_SECOND)), 1);
    ASSERT_EQ(got, value);
    ASSERT_EQ(tuco_chan_try_recv(pair[1], &got), -EAGAIN);
}

static int steady_main(void *arg) {
    (void)arg;
    tuco_chan *pair[2] = {CHAN(int, 0), CHAN(int, 1)};
    ASSERT_EQ(tuco_wg_go(&end, answer, pair), 0);
    for (int i = 0; i < 10; i++) {
        ask(pair, i);
    }
    int before = test_fault_calls(OS_FAULT_ALLOC);
    for (int i = 0; i < ROUNDS; i++) {
        ask(pair, i);
    }
    ASSERT_LE(test_fault_calls(OS_FAULT_ALLOC), before + OTHERS);
    tuco_chan_close(pair[0]);
    tuco_wg_wait(&end);
    tuco_chan_unref(pair[0]);
    tuco_chan_unref(pair[1]);
    return 0;
}

TEST(nothing_is_allocated) {
    test_fault_plan(OS_FAULT_ALLOC, 1, 0, ENOMEM);
    RUN(steady_main);
}
