/* SPDX-License-Identifier: MIT */
/* Proves: of two ready receives, with others between that are not ready, each is chosen
   equally often (SE-09). */
#include "chans.h"

#define PICKS 10000
#define SIGMA 50 /* of a count among 10000 with chance 1/2 */

static tuco_chan *filled(int count) {
    tuco_chan *c = CHAN(char, (size_t)count);
    for (int i = 0; i < count; i++) {
        ASSERT_EQ(tuco_chan_send(c, ""), 0);
    }
    return c;
}

static int recv_main(void *arg) {
    (void)arg;
    tuco_chan *a = filled(PICKS + 1);
    tuco_chan *b = filled(PICKS + 1);
    tuco_chan *never = CHAN(char, 1);
    int counts[4] = {0};
    for (int i = 0; i < PICKS; i++) {
        tuco_case cases[] = {TUCO_RECV(a, NULL), TUCO_RECV(never, NULL),
                             TUCO_RECV(b, NULL), TUCO_RECV(never, NULL)};
        int chosen = tuco_select(cases, 4);
        ASSERT_GE(chosen, 0);
        counts[chosen]++;
    }
    ASSERT_EQ(counts[0] + counts[2], PICKS);
    ASSERT_LE(counts[0], PICKS / 2 + 10 * SIGMA);
    ASSERT_LE(counts[2], PICKS / 2 + 10 * SIGMA);
    tuco_chan_unref(a);
    tuco_chan_unref(b);
    tuco_chan_unref(never);
    return 0;
}

TEST(fairness_among_receives) {
    RUN(recv_main);
}
