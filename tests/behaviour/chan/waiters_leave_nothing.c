/* SPDX-License-Identifier: MIT */
/* Proves: the memory that a round of waiters needed is reused or freed, so that repeated
   rounds need no more (CH-21). */
#include "chans.h"
#include "fault.h"

#define SELECTERS 10
#define CLOSES    20

/* Allocations of the runtime itself, which may start a thread meanwhile. */
#define OTHERS 20

static tuco_wg end;

static void select_three(void *c) {
    int value = -1;
    tuco_case cases[] = {TUCO_RECV(c, &value), TUCO_RECV(c, &value),
                         TUCO_RECV(c, &value)};
    int chosen = tuco_select(cases, 3);
    ASSERT_GE(chosen, 0);
    ASSERT_EQ(cases[chosen].result, -EPIPE);
}

static void close_round(void) {
    tuco_chan *c = CHAN(int, 0);
    for (int i = 0; i < SELECTERS; i++) {
        ASSERT_EQ(tuco_wg_go(&end, select_three, c), 0);
    }
    test_await_waiting(SELECTERS);
    tuco_chan_close(c);
    tuco_wg_wait(&end);
    tuco_chan_unref(c);
}

static int live(void) {
    return test_fault_calls(OS_FAULT_ALLOC) - test_fault_calls(OS_FAULT_FREE);
}

static int waiters_main(void *arg) {
    (void)arg;
    for (int i = 0; i < CLOSES / 2; i++) {
        close_round();
    }
    int before = live();
    for (int i = 0; i < CLOSES / 2; i++) {
        close_round();
    }
    ASSERT_LE(live(), before + OTHERS);
    return 0;
}

TEST(waiters_leave_nothing) {
    test_fault_plan(OS_FAULT_ALLOC, 1, 0, ENOMEM);
    test_fault_plan(OS_FAULT_FREE, 1, 0, ENOMEM);
    RUN(waiters_main);
}
