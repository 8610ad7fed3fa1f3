/* SPDX-License-Identifier: MIT */
/* Proves: values keep their order through a chain of relays. Each relay receives in one
   select and sends in another (CH-19). */
#include "chans.h"

#define RELAYS   11
#define MESSAGES TEST_SIZE(1000, 200)

static tuco_wg end;
static tuco_chan *chain[RELAYS + 1];

static void relay(void *arg) {
    tuco_chan **here = arg;
    int value;
    for (;;) {
        tuco_case in[] = {TUCO_RECV(NULL, NULL), TUCO_RECV(here[0], &value)};
        ASSERT_EQ(tuco_select(in, 2), 1);
        if (in[1].result == -EPIPE) {
            break;
        }
        tuco_case out[] = {TUCO_SEND(here[1], &value), TUCO_SEND(NULL, &value)};
        ASSERT_EQ(tuco_select(out, 2), 0);
        ASSERT_EQ(out[0].result, 0);
    }
    tuco_chan_close(here[1]);
}

static void feed(void *arg) {
    (void)arg;
    for (int i = 0; i < MESSAGES; i++) {
        test_send(chain[0], i);
    }
    tuco_chan_close(chain[0]);
}

static int relay_main(void *arg) {
    (void)arg;
    static const size_t capacities[] = {0, 1, 10, 100};
    for (int round = 0; round < 4; round++) {
        for (int i = 0; i <= RELAYS; i++) {
            chain[i] = CHAN(int, capacities[round]);
        }
        for (int i = 0; i < RELAYS; i++) {
            ASSERT_EQ(tuco_wg_go(&end, relay, &chain[i]), 0);
        }
        ASSERT_EQ(tuco_wg_go(&end, feed, NULL), 0);
        for (int i = 0; i < MESSAGES; i++) {
            ASSERT_EQ(test_recv(chain[RELAYS]), i);
        }
        test_expect_drained(chain[RELAYS]);
        tuco_wg_wait(&end);
        for (int i = 0; i <= RELAYS; i++) {
            tuco_chan_unref(chain[i]);
        }
    }
    return 0;
}

TEST(relay) {
    RUN(relay_main);
}
