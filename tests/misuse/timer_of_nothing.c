/* SPDX-License-Identifier: MIT */
/* Proves: a ticker period of 0, a NULL timer or ticker, and a NULL function end the
   process with Go's messages. */
#include "test.h"

static int reset_ticker_main(void *arg) {
    (void)arg;
    return tuco_ticker_reset(tuco_ticker_make(TUCO_SECOND), 0);
}

static int reset_no_ticker_main(void *arg) {
    (void)arg;
    return tuco_ticker_reset(NULL, 1);
}

static int stop_no_timer_main(void *arg) {
    (void)arg;
    return tuco_timer_stop(NULL);
}

static int reset_no_timer_main(void *arg) {
    (void)arg;
    return tuco_timer_reset(NULL, 1);
}

static int nil_function_main(void *arg) {
    (void)arg;
    return tuco_timer_func(0, NULL, NULL) == NULL;
}

TEST(timer_of_nothing) {
    RUN_DIES(reset_ticker_main, "panic: non-positive interval for Ticker.Reset");
    RUN_DIES(reset_no_ticker_main, "panic: time: Reset called on uninitialized Ticker");
    RUN_DIES(stop_no_timer_main, "panic: time: Stop called on uninitialized Timer");
    RUN_DIES(reset_no_timer_main, "panic: time: Reset called on uninitialized Timer");
    RUN_DIES(nil_function_main, "go of nil func value");
}
