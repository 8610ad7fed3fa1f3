/* SPDX-License-Identifier: MIT */
/* Proves: the calls that make tickers and timers return NULL for an invalid period and
   without a runtime; the calls that stop, free or return a channel accept NULL.
   (TM-19) */
/* fixed procs */
#include "test.h"

static int run_main(void *arg) {
    (void)arg;
    ASSERT(tuco_ticker_make(0) == NULL);
    ASSERT(tuco_ticker_make(-1) == NULL);
    ASSERT(tuco_ticker_make(INT64_MIN) == NULL);
    ASSERT(!tuco_ticker_stop(NULL));
    ASSERT(tuco_ticker_chan(NULL) == NULL);
    ASSERT(tuco_timer_chan(NULL) == NULL);
    tuco_ticker_free(NULL);
    tuco_timer_free(NULL);
    return 0;
}

TEST(nothing) {
    RUN(run_main);
}

static void do_nothing(void *arg) {
    (void)arg;
}

TEST(no_runtime) {
    ASSERT(tuco_after(1) == NULL);
    ASSERT(tuco_timer_make(1) == NULL);
    ASSERT(tuco_timer_func(1, do_nothing, NULL) == NULL);
    ASSERT(tuco_ticker_make(1) == NULL);
}
