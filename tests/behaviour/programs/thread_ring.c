/* SPDX-License-Identifier: MIT */
/* Proves: a token that passes around a ring of 503 goroutines stops at the right
   goroutine (WP-09). */
#include "chans.h"

#define RING 503

static tuco_wg end;
static tuco_chan *ring[RING];
static atomic_int stopped_at;

/* Number i receives from ring[i] and sends to the next. A negative token ends the ring. */
static void pass_token(void *arg) {
    int i = (int)((tuco_chan **)arg - ring);
    for (;;) {
        int token = test_recv(ring[i]);
        if (token == 0) {
            atomic_store(&stopped_at, i + 1);
        }
        if (token < 0) {
            if (i < RING - 1) {
                test_send(ring[i + 1], token);
            }
            return;
        }
        if (token > 0) {
            test_send(ring[(i + 1) % RING], token - 1);
        }
    }
}

static void expect_stop(int token, int place) {
    atomic_store(&stopped_at, 0);
    test_send(ring[0], token);
    while (atomic_load(&stopped_at) == 0) {
        tuco_yield();
    }
    ASSERT_EQ(atomic_load(&stopped_at), place);
}

static int run_main(void *arg) {
    (void)arg;
    for (int i = 0; i < RING; i++) {
        ring[i] = CHAN(int, 0);
        ASSERT_EQ(tuco_wg_go(&end, pass_token, &ring[i]), 0);
    }
    expect_stop(1000, 498);
    expect_stop(TEST_SIZE(50000, 1006), TEST_SIZE(204, 1));
    if (!TEST_SANITIZED) {
        expect_stop(500000, 19);
    }
    test_send(ring[0], -1);
    tuco_wg_wait(&end);
    for (int i = 0; i < RING; i++) {
        tuco_chan_unref(ring[i]);
    }
    return 0;
}

TEST(thread_ring) {
    RUN(run_main);
}
