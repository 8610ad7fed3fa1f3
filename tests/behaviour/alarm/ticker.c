/* SPDX-License-Identifier: MIT */
/* Proves: a ticker ticks once a period and keeps its phase, a reset changes its period,
   and after a stop it is silent. A slow reader misses ticks. (TM-15, TM-16, TM-17) */
#include "timers.h"

#define PERIOD       (20 * TUCO_MILLISECOND)
#define TICKS        5
#define SHORT_PERIOD TUCO_MILLISECOND
#define LATE_TICKS   5000
#define MAX          (30 * TUCO_SECOND)
#define MANY         100
#define READERS      10

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

/* While the reader sleeps for several periods, one tick waits for it and the others are
   left out: of the ticks of all periods, it receives at most one per sleep and one that
   comes while it reads. */
static int missed_main(void *arg) {
    (void)arg;
    tuco_time begin = tuco_now();
    tuco_ticker *t = MADE(tuco_ticker_make(SHORT_PERIOD));
    int received = 0;
    for (int i = 0; i < TICKS; i++) {
        tuco_sleep(10 * SHORT_PERIOD);
        tuco_time tick = receive(t);
        ASSERT_GE(tick - begin, (received + 1) * SHORT_PERIOD);
        received++;
        while (tuco_chan_try_recv(tuco_ticker_chan(t), NULL) == 0) {
            received++;
        }
    }
    ASSERT_GE((tuco_now() - begin) / SHORT_PERIOD, 10 * TICKS);
    ASSERT_LT(received, 3 * TICKS);
    tuco_ticker_free(t);
    return 0;
}

TEST(missed_ticks_are_left_out) {
    RUN(missed_main);
}

/* Every tick is sent a little late. A ticker that counted its next period from there
   would never send two ticks less than a period apart. */
static int late_main(void *arg) {
    (void)arg;
    tuco_ticker *t = MADE(tuco_ticker_make(SHORT_PERIOD));
    tuco_time last = receive(t);
    int tries = 0;
    for (tuco_time tick; (tick = receive(t)) - last >= SHORT_PERIOD; last = tick) {
        ASSERT_LT(tries++, LATE_TICKS);
    }
    tuco_ticker_free(t);
    return 0;
}

TEST(late_tick_does_not_delay_the_next) {
    RUN(late_main);
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
