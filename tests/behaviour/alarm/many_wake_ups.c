/* SPDX-License-Identifier: MIT */
/* Proves: goroutines on all processors that share a ticker or a timer, reset it and read it
   at once, neither hang nor break it. (TM-18) */
#include "timers.h"

#define READERS 4
#define TICKS   TEST_SIZE(5000, 500)
#define RESETS  TEST_SIZE(10000, 1000)

static tuco_ticker *ticker;
static tuco_timer *timer;

static void tick_or_give_up(void *arg) {
    (void)arg;
    for (int i = 0; i < TICKS; i++) {
        tuco_chan *c = MADE(tuco_after(TUCO_MILLISECOND));
        tuco_case cases[] = {TUCO_RECV(tuco_ticker_chan(ticker), NULL),
                             TUCO_RECV(c, NULL)};
        ASSERT_GE(tuco_select(cases, 2), 0);
        tuco_chan_unref(c);
    }
}

static int ticker_main(void *arg) {
    tuco_wg wg = {0};
    (void)arg;
    ticker = MADE(tuco_ticker_make(TUCO_MICROSECOND));
    for (int i = 0; i < READERS; i++) {
        ASSERT_EQ(tuco_wg_go(&wg, tick_or_give_up, NULL), 0);
    }
    tuco_wg_wait(&wg);
    tuco_ticker_free(ticker);
    return 0;
}

TEST(shared_ticker) {
    RUN(ticker_main);
}

static void reset_and_read(void *arg) {
    (void)arg;
    for (int i = 0; i < RESETS; i++) {
        int r = tuco_chan_try_recv(tuco_timer_chan(timer), NULL);
        ASSERT(r == 0 || r == -EAGAIN);
        tuco_timer_reset(timer, 1);
    }
}

static int timer_main(void *arg) {
    tuco_wg wg = {0};
    (void)arg;
    timer = MADE(tuco_timer_make(1));
    for (int i = 0; i < READERS; i++) {
        ASSERT_EQ(tuco_wg_go(&wg, reset_and_read, NULL), 0);
    }
    tuco_wg_wait(&wg);
    ASSERT_EQ(tuco_chan_recv(tuco_timer_chan(timer), NULL), 0); // it still fires
    tuco_timer_free(timer);
    return 0;
}

TEST(shared_timer) {
    RUN(timer_main);
}
