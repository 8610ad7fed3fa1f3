/* SPDX-License-Identifier: MIT */
/* Proves: times beyond the end of the clock never come, and disturb no other timers;
   times before its beginning are due at once. (TM-03, TM-23) */
#include "timers.h"

#define SOON (25 * TUCO_MILLISECOND)
#define MAX  (20 * TUCO_SECOND)

static void sleep_for_ever(void *arg) {
    tuco_sleep(*(tuco_time *)arg);
    ASSERT(false);
}

static void expect_soon(void) {
    tuco_time begin = tuco_now();
    tuco_time fired;
    tuco_chan *c = MADE(tuco_after(SOON));
    ASSERT_EQ(tuco_chan_recv(c, &fired), 0);
    ASSERT_GE(fired, begin + SOON);
    ASSERT_LT(tuco_now(), begin + MAX);
    tuco_chan_unref(c);
}

static int never_main(void *arg) {
    static tuco_time spans[] = {INT64_MAX, INT64_MAX - 1, INT64_MAX - TUCO_SECOND,
                                INT64_MAX / 2};
    enum { SPANS = sizeof spans / sizeof spans[0] };
    tuco_chan *c[SPANS];
    (void)arg;
    for (int i = 0; i < SPANS; i++) {
        ASSERT_EQ(tuco_go(sleep_for_ever, &spans[i]), 0);
        c[i] = MADE(tuco_after(spans[i]));
    }
    expect_soon();
    for (int i = 0; i < SPANS; i++) {
        ASSERT_EQ(tuco_chan_try_recv(c[i], NULL), -EAGAIN);
        tuco_chan_unref(c[i]);
    }
    return 0;
}

TEST(future_without_end) {
    RUN(never_main);
}

static int past_main(void *arg) {
    static const tuco_time spans[] = {INT64_MIN, INT64_MIN + 1, -TUCO_SECOND, -1, 0};
    (void)arg;
    for (size_t i = 0; i < sizeof spans / sizeof spans[0]; i++) {
        tuco_chan *c = MADE(tuco_after(spans[i]));
        ASSERT_EQ(tuco_chan_recv_until(c, NULL, tuco_deadline(MAX)), 0);
        tuco_chan_unref(c);
    }
    return 0;
}

TEST(past) {
    RUN(past_main);
}

/* The first tick is far ahead, and the second does not exist. */
static int period_main(void *arg) {
    (void)arg;
    tuco_ticker *longest = MADE(tuco_ticker_make(INT64_MAX));
    tuco_ticker *half = MADE(tuco_ticker_make(INT64_MAX / 2));
    expect_soon();
    ASSERT_EQ(tuco_chan_try_recv(tuco_ticker_chan(longest), NULL), -EAGAIN);
    ASSERT_EQ(tuco_chan_try_recv(tuco_ticker_chan(half), NULL), -EAGAIN);
    ASSERT(tuco_ticker_stop(half));
    tuco_ticker_free(half);
    tuco_ticker_free(longest);
    return 0;
}

TEST(period_without_end) {
    RUN(period_main);
}
