/* SPDX-License-Identifier: MIT */
/* Proves: a number passes through a chain of 100,000 goroutines, and each adds one to it
   (WP-06). */
#include "chans.h"

#define LINKS TEST_SIZE(100000, 2000)

struct link {
    tuco_chan *in;
    tuco_chan *out;
};

static void add_one(void *arg) {
    struct link *link = arg;
    test_send(link->out, test_recv(link->in) + 1);
    tuco_chan_unref(link->in);
    tuco_chan_unref(link->out);
}

static int pass_through(int links) {
    tuco_chan *first = CHAN(int, 0);
    tuco_chan *last = first;
    for (int i = 0; i < links; i++) {
        struct link link = {tuco_chan_ref(last), CHAN(int, 0)};
        ASSERT_EQ(tuco_go_copy(add_one, &link, sizeof(link)), 0);
        tuco_chan_unref(last);
        last = tuco_chan_ref(link.out);
        first = i == 0 ? tuco_chan_ref(link.in) : first;
    }
    test_send(first, 1);
    int result = test_recv(last);
    tuco_chan_unref(first);
    tuco_chan_unref(last);
    return result;
}

static int run_main(void *arg) {
    (void)arg;
    ASSERT_EQ(pass_through(1), 2);
    ASSERT_EQ(pass_through(LINKS / 10), LINKS / 10 + 1);
    ASSERT_EQ(pass_through(LINKS), LINKS + 1);
    test_await_alone();
    return 0;
}

TEST(long_chain) {
    RUN(run_main);
}
