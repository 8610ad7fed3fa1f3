/* SPDX-License-Identifier: MIT */
/* How late are timers beside busy goroutines, if many are due at once, or many are
   pending? */
#include <stdatomic.h>
#include <stdlib.h>

#include <tuco.h>

#include "busy.h"
#include "cases.h"
#include "harness.h"

#define BUSY    8
#define SPAN_NS 200000

#define DEADLINES 50000
#define AHEAD     (1000 * TUCO_MILLISECOND)

#define FAR           200000
#define FAR_AWAY      (3600 * TUCO_SECOND)
#define SLEEPS        200
#define SLEEPS_BEFORE 10
#define SLEEP         (5 * TUCO_MILLISECOND)

/* Many contexts with the same deadline */

static struct {
    tuco_ctx *contexts[DEADLINES];
    tuco_ctx_after *afters[DEADLINES];
    atomic_int fired;
    int64_t first; /* turns; written by the first and the last call, read after done */
    int64_t last;
    tuco_wg done;
} due;

/* relaxed: only the count matters; done orders first and last. */
static void fire(void *arg) {
    (void)arg;
    int before = atomic_fetch_add_explicit(&due.fired, 1, memory_order_relaxed);
    if (before == 0) {
        due.first = bench_busy_turns_since_mark();
    }
    if (before == DEADLINES - 1) {
        due.last = bench_busy_turns_since_mark();
    }
    tuco_wg_done(&due.done);
}

static void make_contexts(tuco_time deadline) {
    tuco_wg_add(&due.done, DEADLINES);
    for (int i = 0; i < DEADLINES; i++) {
        due.contexts[i] = tuco_ctx_with_deadline(tuco_ctx_background(), deadline);
        bench_check_made(due.contexts[i], "tuco_ctx_with_deadline");
        due.afters[i] = tuco_ctx_after_make(due.contexts[i], fire, NULL);
        bench_check_made(due.afters[i], "tuco_ctx_after_make");
    }
}

static void free_contexts(void) {
    for (int i = 0; i < DEADLINES; i++) {
        tuco_ctx_after_free(due.afters[i]);
        tuco_ctx_unref(due.contexts[i]);
    }
}

void bench_deadlines_50k(void) {
    int64_t due_ns = bench_now_ns() + AHEAD;
    make_contexts(tuco_deadline(due_ns - bench_now_ns()));
    bench_busy_start(BUSY, SPAN_NS);
    if (bench_now_ns() >= due_ns) {
        bench_die("the deadlines were due before the work had begun");
    }
    bench_busy_mark(due_ns);
    tuco_wg_wait(&due.done);
    bench_busy_stop();
    free_contexts();
    bench_report_one("_first", "turns", DEADLINES, (double)due.first);
    bench_report_one("_last", "turns", DEADLINES, (double)due.last);
}

/* A sleeper beside many pending timers */

static void never(void *arg) {
    (void)arg;
    bench_die("a timer fired an hour early");
}

static double sleep_late_us(void) {
    int64_t start_ns = bench_now_ns();
    tuco_sleep(SLEEP);
    return (double)(bench_now_ns() - start_ns - SLEEP) / 1e3;
}

void bench_far_timers(void) {
    static tuco_timer *timers[FAR];
    static double late_us[SLEEPS];
    for (int i = 0; i < FAR; i++) {
        timers[i] = tuco_timer_func(FAR_AWAY, never, NULL);
        bench_check_made(timers[i], "tuco_timer_func");
    }
    bench_busy_start(BUSY, SPAN_NS);
    for (int i = 0; i < SLEEPS_BEFORE; i++) {
        sleep_late_us();
    }
    for (int i = 0; i < SLEEPS; i++) {
        late_us[i] = sleep_late_us();
    }
    bench_busy_stop();
    for (int i = 0; i < FAR; i++) {
        tuco_timer_stop(timers[i]);
        tuco_timer_free(timers[i]);
    }
    bench_report_percentiles("us late", late_us, SLEEPS);
}
