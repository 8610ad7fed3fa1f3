/* SPDX-License-Identifier: MIT */
/* What does a timer cost that is stopped long before its time, as most timeouts are? */
#include <tuco.h>

#include "cases.h"
#include "harness.h"

#define TIMERS 1000000
#define HOUR   (3600 * TUCO_SECOND)

static void stop(tuco_timer *t) {
    if (!tuco_timer_stop(t)) {
        bench_die("a timer an hour away has fired");
    }
    tuco_timer_free(t);
}

static void with_channel(size_t n) {
    for (size_t i = 0; i < n; i++) {
        tuco_timer *t = tuco_timer_make(HOUR);
        bench_check_made(t, "tuco_timer_make");
        stop(t);
    }
}

void bench_timer(void) {
    bench_time(TIMERS, with_channel, (struct bench_floor){0});
}

static void never(void *arg) {
    bench_die("a timer an hour away calls %p", arg);
}

static void with_function(size_t n) {
    for (size_t i = 0; i < n; i++) {
        tuco_timer *t = tuco_timer_func(HOUR, never, NULL);
        bench_check_made(t, "tuco_timer_func");
        stop(t);
    }
}

void bench_timer_func(void) {
    bench_time(TIMERS, with_function, (struct bench_floor){0});
}
