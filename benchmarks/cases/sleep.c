/* SPDX-License-Identifier: MIT */
/* How late do sleepers wake: a crowd at one moment, one goroutine after 50 us? */
#include <tuco.h>

#include "cases.h"
#include "harness.h"

#define UNTIL_END (1500 * TUCO_MILLISECOND)

#define SHORT_SLEEPS 1000
#define SHORT_SLEEP  (50 * TUCO_MICROSECOND)

/* A crowd */

struct crowd {
    tuco_time end;
    tuco_wg going;
    tuco_wg awake;
};

/* Not tuco_sleep_until(), which Go does not have: both twins must do the same. */
static void sleeper(void *arg) {
    struct crowd *c = arg;
    tuco_wg_done(&c->going);
    tuco_sleep(c->end - tuco_now());
    tuco_wg_done(&c->awake);
}

/* Once, in a new process: a second crowd would reuse the memory of the first. */
static void sleep_together(int n) {
    struct crowd c = {.end = tuco_deadline(UNTIL_END)};
    int64_t start_ns = bench_now_ns();
    tuco_wg_add(&c.going, n);
    tuco_wg_add(&c.awake, n);
    for (int i = 0; i < n; i++) {
        bench_check(tuco_go(sleeper, &c), "tuco_go");
    }
    tuco_wg_wait(&c.going);
    double going_ns = (double)(bench_now_ns() - start_ns);
    tuco_wg_wait(&c.awake);
    double late_ns = (double)(bench_now_ns() - start_ns - UNTIL_END);
    bench_report_one("_going", "ms", (size_t)n, going_ns / 1e6);
    bench_report_one("_late", "ms late", (size_t)n, late_ns / 1e6);
}

void bench_sleepers(void) {
    sleep_together(1000000);
}

void bench_sleepers_100k(void) {
    sleep_together(100000);
}

/* One sleeper alone */

static double sleep_short(size_t n) {
    int64_t late_ns = 0;
    for (size_t i = 0; i < n; i++) {
        int64_t start_ns = bench_now_ns();
        tuco_sleep(SHORT_SLEEP);
        late_ns += bench_now_ns() - start_ns - SHORT_SLEEP;
    }
    return (double)late_ns / 1e3 / (double)n;
}

void bench_sleep50us(void) {
    bench_measure(NULL, "us late", SHORT_SLEEPS, sleep_short);
}
