/* SPDX-License-Identifier: MIT */
/* Proves: the chosen case of a select orders like a send or receive alone: a receiver sees
   all writes made before the send, and a sender those made before the receive. */
#include "chans.h"

#define ROUNDS TEST_SIZE(3000, 500)

static tuco_chan *values, *never;
static int sent, taken; /* plain: ThreadSanitizer reports a missing ordering */

static void select_send(int value) {
    tuco_case cases[] = {TUCO_RECV(never, NULL), TUCO_SEND(values, &value)};
    ASSERT_EQ(tuco_select(cases, 2), 1);
    ASSERT_EQ(cases[1].result, 0);
}

static int select_receive(void) {
    int value;
    tuco_case cases[] = {TUCO_RECV(values, &value), TUCO_RECV(never, NULL)};
    ASSERT_EQ(tuco_select(cases, 2), 0);
    ASSERT_EQ(cases[0].result, 0);
    return value;
}

static void receive_all(void *arg) {
    (void)arg;
    for (int i = 1; i <= ROUNDS; i++) {
        taken = i;
        ASSERT_EQ(select_receive(), i);
        ASSERT_EQ(sent, i);
        ASSERT_EQ(select_receive(), 0); // now the sender may write again
    }
}

static int run_main(void *arg) {
    tuco_wg end = {0};
    (void)arg;
    values = CHAN(int, 0);
    never = CHAN(int, 0);
    ASSERT_EQ(tuco_wg_go(&end, receive_all, NULL), 0);
    for (int i = 1; i <= ROUNDS; i++) {
        sent = i;
        select_send(i);
        ASSERT_EQ(taken, i);
        select_send(0);
    }
    tuco_wg_wait(&end);
    tuco_chan_unref(values);
    tuco_chan_unref(never);
    return 0;
}

TEST(chosen_case_orders) {
    RUN(run_main);
}
