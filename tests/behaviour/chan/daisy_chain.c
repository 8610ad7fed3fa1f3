/* SPDX-License-Identifier: MIT */
/* Proves: receivers get the values in order if each begins to receive when the receiver
   before it is done (CH-16). */
#include "chans.h"

#define LINKS  10
#define ROUNDS TEST_SIZE(1000, 100)

static tuco_wg end;
static tuco_chan *values;

struct link {
    int number;
    tuco_chan *before; /* closed when the link before has received */
    tuco_chan *after;
};

static void receive_in_turn(void *arg) {
    struct link *link = arg;
    ASSERT_EQ(tuco_chan_recv(link->before, NULL), -EPIPE);
    ASSERT_EQ(test_recv(values), link->number);
    tuco_chan_close(link->after);
}

static void one_round(void) {
    struct link links[LINKS];
    tuco_chan *turns[LINKS + 1];
    values = CHAN(int, 0);
    turns[0] = tuco_chan_make(0, 0);
    for (int i = 0; i < LINKS; i++) {
        turns[i + 1] = tuco_chan_make(0, 0);
        ASSERT_EQ(turns[i] != NULL && turns[i + 1] != NULL ? 0 : -ENOMEM, 0);
        links[i] = (struct link){i, turns[i], turns[i + 1]};
        ASSERT_EQ(tuco_wg_go(&end, receive_in_turn, &links[i]), 0);
    }
    tuco_chan_close(turns[0]);
    for (int i = 0; i < LINKS; i++) {
        test_send(values, i);
    }
    tuco_wg_wait(&end);
    for (int i = 0; i <= LINKS; i++) {
        tuco_chan_unref(turns[i]);
    }
    tuco_chan_unref(values);
}

static int run_main(void *arg) {
    (void)arg;
    for (int i = 0; i < ROUNDS; i++) {
        one_round();
    }
    return 0;
}

TEST(daisy_chain) {
    RUN(run_main);
}
