/* SPDX-License-Identifier: MIT */
/* Proves: a receive into NULL takes and discards one value, in every form and from every
   form of send, whether the sender or the receiver arrives first (SE-16). */
#include "chans.h"

static tuco_wg end;
static int form_of_send;

static void send_somehow(void *c) {
    int value = 1;
    tuco_case cases[] = {TUCO_SEND(c, &value), TUCO_SEND(NULL, &value)};
    if (form_of_send == 0) {
        test_send(c, value);
    } else {
        ASSERT_EQ(tuco_select(cases, (size_t)form_of_send), 0);
        ASSERT_EQ(cases[0].result, 0);
    }
}

static void receive_somehow(tuco_chan *c, int form) {
    tuco_case cases[] = {TUCO_RECV(c, NULL), TUCO_RECV(NULL, NULL)};
    if (form == 0) {
        ASSERT_EQ(tuco_chan_recv(c, NULL), 0);
    } else {
        ASSERT_EQ(tuco_select(cases, (size_t)form), 0);
        ASSERT_EQ(cases[0].result, 0);
    }
}

static void try_forms(int form, bool sender_first) {
    for (size_t capacity = 0; capacity < 2; capacity++) {
        tuco_chan *c = CHAN(int, capacity);
        ASSERT_EQ(tuco_wg_go(&end, send_somehow, c), 0);
        if (sender_first && capacity == 0) {
            test_await_waiting(1);
        } else if (sender_first) {
            tuco_wg_wait(&end);
        }
        receive_somehow(c, form);
        tuco_wg_wait(&end);
        ASSERT_EQ(tuco_chan_try_recv(c, NULL), -EAGAIN);
        tuco_chan_close(c);
        ASSERT_EQ(tuco_chan_recv(c, NULL), -EPIPE);
        tuco_chan_unref(c);
    }
}

/* Discards only the first value of a buffer. */
static void try_in_between(int form) {
    tuco_chan *c = CHAN(int, 3);
    for (int value = 1; value <= 3; value++) {
        test_send(c, value);
    }
    receive_somehow(c, form);
    ASSERT_EQ(test_recv(c), 2);
    ASSERT_EQ(test_recv(c), 3);
    tuco_chan_unref(c);
}

static int run_main(void *arg) {
    (void)arg;
    for (form_of_send = 0; form_of_send < 3; form_of_send++) {
        for (int form = 0; form < 3; form++) {
            try_forms(form, true /* sender first */);
            try_forms(form, false /* sender first */);
        }
    }
    for (int form = 0; form < 3; form++) {
        try_in_between(form);
    }
    return 0;
}

TEST(null_destination_discards) {
    RUN(run_main);
}
