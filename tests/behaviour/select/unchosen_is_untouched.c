/* SPDX-License-Identifier: MIT */
/* Proves: a select neither reads nor writes through the pointers of cases that it does
   not choose, nor changes their results (SE-15). */
#include "chans.h"

#define NOWHERE ((void *)16)

static tuco_wg end;

static void send(void *c) {
    test_send(c, 9);
}

static void expect_untouched(const tuco_case *cases, size_t n, int chosen) {
    for (size_t i = 0; i < n; i++) {
        ASSERT_EQ(cases[i].result, (int)i == chosen ? 0 : 55);
    }
}

static int run_main(void *arg) {
    (void)arg;
    tuco_chan *empty = CHAN(int, 1);
    tuco_chan *full = CHAN(int, 1);
    tuco_chan *meeting = CHAN(int, 0);
    test_send(full, 1);
    int got = -1;
    tuco_case cases[] = {TUCO_RECV(empty, NOWHERE),   TUCO_SEND(full, NOWHERE),
                         TUCO_RECV(NULL, NOWHERE),    TUCO_SEND(NULL, NOWHERE),
                         TUCO_SEND(meeting, NOWHERE), TUCO_DEFAULT,
                         TUCO_RECV(meeting, &got)};
    for (int i = 0; i < 7; i++) {
        cases[i].result = 55;
    }
    ASSERT_EQ(tuco_select(cases, 6), 5);
    expect_untouched(cases, 7, 5);
    cases[5] = (tuco_case)TUCO_RECV(empty, NOWHERE);
    cases[4] = (tuco_case)TUCO_RECV(empty, NOWHERE);
    cases[4].result = cases[5].result = 55;
    ASSERT_EQ(tuco_select_until(cases, 7, tuco_deadline(TUCO_MILLISECOND)), -ETIMEDOUT);
    expect_untouched(cases, 7, -1);
    ASSERT_EQ(tuco_wg_go(&end, send, meeting), 0); // sends while main waits
    ASSERT_EQ(tuco_select(cases, 7), 6);
    expect_untouched(cases, 7, 6);
    ASSERT_EQ(got, 9);
    tuco_wg_wait(&end);
    ASSERT_EQ(tuco_chan_len(empty), 0);
    ASSERT_EQ(test_recv(full), 1);
    tuco_chan_unref(empty);
    tuco_chan_unref(full);
    tuco_chan_unref(meeting);
    return 0;
}

TEST(unchosen_is_untouched) {
    RUN(run_main);
}
