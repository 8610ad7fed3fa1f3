/* SPDX-License-Identifier: MIT */
/* Proves: a ready case is chosen before the default, wherever the default is listed
   (SE-03). */
#include "chans.h"

#define ROUNDS 1000

static void run_rounds(tuco_chan *c, int default_at) {
    int value = 0;
    int got = -1;
    tuco_chan *never = CHAN(int, 0);
    for (int i = 0; i < ROUNDS; i++) {
        tuco_case cases[3] = {TUCO_RECV(never, &got), TUCO_RECV(never, &got),
                              TUCO_RECV(never, &got)};
        int at = (default_at + 1 + i % 2) % 3;
        cases[default_at] = (tuco_case)TUCO_DEFAULT;
        value = i;
        cases[at] = (tuco_case)TUCO_SEND(c, &value);
        ASSERT_EQ(tuco_select(cases, 3), at);
        cases[at] = (tuco_case)TUCO_RECV(c, &got);
        ASSERT_EQ(tuco_select(cases, 3), at);
        ASSERT_EQ(got, i);
        ASSERT_EQ(tuco_select(cases, 3), default_at);
    }
    tuco_chan_unref(never);
}

static int buffered_main(void *arg) {
    (void)arg;
    tuco_chan *c = CHAN(int, 1);
    for (int default_at = 0; default_at < 3; default_at++) {
        run_rounds(c, default_at);
    }
    tuco_chan_unref(c);
    return 0;
}

TEST(ready_beats_default) {
    RUN(buffered_main);
}
