/* SPDX-License-Identifier: MIT */
/* Proves: a ticker comes every period and keeps its phase, changes its pace, and is silent
   once it is stopped; who is slow misses ticks, and keeps nobody waiting. (TM-15, TM-16,
   TM-17) */
#include "timers.h"

#define PERIOD  (20 * TUCO_MILLISECOND)
#define TICKS   5
#define MAX     (30 * TUCO_SECOND)
#define MANY    100
#define READERS 10

static tuco_time receive(tuco_ticker *t) {
    tuco_time value = 0;
    ASSERT_EQ(tuco_chan_recv(tuco_ticker_chan(t), &value), 0);
    return value;
}

static int pace_main(void *arg) {
    (void)arg;
    tuco_time begin = tuco_now();
    tuco_time last = 0;
    tuco_ticker *t = MADE(tuco_ticker_make(PERIOD));
    for (int i = 0; i < TICKS; i++) {
        tuco_time tick = receive(t);
        ASSERT_GT(tick, last);
        last = tick;
    }
    ASSERT_GE(last, begin + TICKS * PERIOD);
    tuco_time again = tuco_now();
    tuco_ticker_reset(t, 2 * PERIOD);
    for (int i = 0; i < TICKS; i++) {
        last = receive(t);
    }
    ASSERT_GE(last, again + TICKS * 2 * PERIOD);
    ASSERT_LT(last, begin + MAX);
    tuco_ticker_stop(t);
    tuco_sleep(2 * PERIOD);
    ASSERT_EQ(tuco_chan_try_recv(tuco_ticker_chan(t), NULL), -EAGAIN);
    tuco_ticker_free(t);
    return 0;
}

TEST(pace) {
    RUN(pace_main);
}

/* However late each is received, the ticks lie on one grid: so many periods after the
   beginning, and a tick is not sent before its place on it. */
static int phase_main(void *arg) {
    (void)arg;
    tuco_ticker *t = MADE(tuco_ticker_make(PERIOD));
    tuco_time begin = tuco_now();
    int64_t last = 0;
    for (int i = 0; i < TICKS; i++) {
        tuco_sleep(PERIOD + PERIOD / 2);
        int64_t number = (receive(t) - begin) / PERIOD;
        ASSERT_GT(number, last - 1);
        last = number;
    }
    ASSERT_GE(last, TICKS);
    tuco_ticker_free(t);
    return 0;
}

TEST(missed_ticks_are_left_out) {
    RUN(phase_main);
}

static int unread_main(void *arg) {
    (void)arg;
    tuco_ticker *t = MADE(tuco_ticker_make(PERIOD));
    tuco_sleep(20 * PERIOD);
    tuco_time now = tuco_now();
    ASSERT_LT(receive(t), now - PERIOD); // the first one, sent long ago
    tuco_ticker_free(t);
    return 0;
}

TEST(value_is_when_it_ticked) {
    RUN(unread_main);
}

static tuco_ticker *fastest;

static void read_many(void *arg) {
    (void)arg;
    for (int i = 0; i < MANY; i++) {
        receive(fastest);
    }
}

static int fast_main(void *arg) {
    tuco_wg wg = {0};
    fastest = MADE(tuco_ticker_make(1));
    read_many(arg);
    for (int i = 0; i < READERS; i++) {
        ASSERT_EQ(tuco_wg_go(&wg, read_many, NULL), 0);
    }
    tuco_wg_wait(&wg);
    tuco_ticker_free(fastest);
    return 0;
}

TEST(every_nanosecond) {
    RUN(fast_main);
}
