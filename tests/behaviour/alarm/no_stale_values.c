/* SPDX-License-Identifier: MIT */
/* Proves: after a stop or reset no earlier value can be received, and a timer whose value
   was not received counts as not fired; its channel reports length and capacity 0.
   (TM-13) */
#include "timers.h"

#define UNREAD (10 * TUCO_MILLISECOND)
#define FAR    (3600 * TUCO_SECOND)
#define ROUNDS TEST_SIZE(3000, 500)

/* A timer of one nanosecond usually fires during the sleep. On a slow machine it may not,
   and all assertions hold too. */
static int unread_main(void *arg) {
    (void)arg;
    tuco_timer *t = MADE(tuco_timer_make(1));
    tuco_chan *c = tuco_timer_chan(t);
    tuco_sleep(UNREAD);
    ASSERT_EQ(tuco_chan_len(c), 0);
    ASSERT_EQ(tuco_chan_cap(c), 0);
    ASSERT(tuco_timer_stop(t));
    ASSERT_EQ(tuco_chan_try_recv(c, NULL), -EAGAIN);
    ASSERT(!tuco_timer_reset(t, 1));
    tuco_sleep(UNREAD);
    ASSERT(tuco_timer_reset(t, FAR));
    ASSERT_EQ(tuco_chan_try_recv(c, NULL), -EAGAIN);
    ASSERT(tuco_timer_reset(t, 1));
    ASSERT_EQ(tuco_chan_recv(c, NULL), 0);
    tuco_timer_free(t);
    return 0;
}

TEST(unread_value_is_gone) {
    RUN(unread_main);
}

static int ticker_main(void *arg) {
    (void)arg;
    tuco_ticker *t = MADE(tuco_ticker_make(TUCO_MICROSECOND));
    tuco_chan *c = tuco_ticker_chan(t);
    tuco_sleep(UNREAD);
    ASSERT_EQ(tuco_chan_len(c), 0);
    ASSERT(tuco_ticker_reset(t, FAR));
    ASSERT_EQ(tuco_chan_try_recv(c, NULL), -EAGAIN);
    ASSERT(tuco_ticker_reset(t, TUCO_MICROSECOND));
    tuco_sleep(UNREAD);
    ASSERT(tuco_ticker_stop(t));
    tuco_sleep(UNREAD);
    ASSERT_EQ(tuco_chan_try_recv(c, NULL), -EAGAIN);
    ASSERT(!tuco_ticker_stop(t));
    tuco_ticker_free(t);
    return 0;
}

TEST(unread_tick_is_gone) {
    RUN(ticker_main);
}

/* Stops the timer at about the time at which it fires: before, after or during it. */
static int race_main(void *arg) {
    (void)arg;
    tuco_timer *t = MADE(tuco_timer_make(FAR));
    tuco_chan *c = tuco_timer_chan(t);
    for (int i = 0; i < ROUNDS; i++) {
        tuco_time span = i % 30 * TUCO_MICROSECOND;
        tuco_timer_reset(t, span);
        if (i % 2 == 0) {
            tuco_sleep(span);
        } else {
            tuco_sleep_until(tuco_now() + span - TUCO_MICROSECOND);
        }
        bool received = tuco_chan_try_recv(c, NULL) == 0;
        ASSERT_EQ(tuco_timer_stop(t), !received);
        ASSERT_EQ(tuco_chan_try_recv(c, NULL), -EAGAIN);
    }
    tuco_timer_free(t);
    return 0;
}

TEST(stop_against_fire) {
    RUN(race_main);
}
