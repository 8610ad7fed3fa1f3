/* SPDX-License-Identifier: MIT */
/* Proves: the function of a timer sees all writes made before the make or reset that set
   its time, and a receiver of a tick those made before the reset. */
#include "timers.h"

#define ROUNDS TEST_SIZE(100, 20)

static int plain; /* ThreadSanitizer reports a missing ordering */
static atomic_int looked;

static void look(void *value) {
    ASSERT_EQ(plain, (intptr_t)value);
    atomic_store(&looked, 1);
}

static void await_look(void) {
    test_await(&looked, 1);
    atomic_store(&looked, 0);
}

static int function_main(void *arg) {
    (void)arg;
    for (int i = 0; i < ROUNDS; i++) {
        plain = 7;
        tuco_timer *t = MADE(tuco_timer_func(1, look, (void *)7));
        await_look();
        plain = 7;
        ASSERT(!tuco_timer_reset(t, 1));
        await_look();
        tuco_timer_free(t);
    }
    return 0;
}

TEST(set_before_function) {
    RUN(function_main);
}

static void receive(void *channel) {
    ASSERT_EQ(tuco_chan_recv(channel, NULL), 0);
    ASSERT_EQ(plain, 9);
}

static int channel_main(void *arg) {
    tuco_wg end = {0};
    tuco_timer *timer = MADE(tuco_timer_make(TUCO_HOUR));
    tuco_ticker *ticker = MADE(tuco_ticker_make(TUCO_HOUR));
    (void)arg;
    for (int i = 0; i < ROUNDS; i++) {
        plain = 0;
        ASSERT_EQ(tuco_wg_go(&end, receive, tuco_timer_chan(timer)), 0);
        plain = 9;
        tuco_timer_reset(timer, 1);
        tuco_wg_wait(&end);

        plain = 0;
        ASSERT_EQ(tuco_wg_go(&end, receive, tuco_ticker_chan(ticker)), 0);
        plain = 9;
        tuco_ticker_reset(ticker, TUCO_MILLISECOND);
        tuco_wg_wait(&end);
        tuco_ticker_stop(ticker);
    }
    tuco_timer_free(timer);
    tuco_ticker_free(ticker);
    return 0;
}

TEST(reset_before_tick) {
    RUN(channel_main);
}
