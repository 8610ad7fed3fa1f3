/* SPDX-License-Identifier: MIT */
/* What suffers from goroutines that never call the runtime: sleepers, or the work
   itself? */
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

#include <tuco.h>

#include "cases.h"
#include "harness.h"

#define STEPS_PER_UNIT 4000

#define HOGS_PER_P    2
#define SLEEPS        300
#define SLEEPS_BEFORE 10
#define SLEEP         TUCO_MILLISECOND

#define CROWD   1000
#define WINDOWS 5
#define WINDOW  TUCO_SECOND

/* Some microseconds of work between two checks of the end condition. noinline, so that the
   loops around it are the same in both languages. */
static __attribute__((noinline)) uint64_t work(uint64_t x) {
    for (int i = 0; i < STEPS_PER_UNIT; i++) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
    }
    return x;
}

/* Sleepers beside hogs */

struct hogs {
    atomic_bool stop;
    atomic_uint_least64_t results; /* keeps the compiler from removing the work */
    tuco_wg done;
};

/* relaxed: the flag ends the loop and publishes nothing; results are never read. */
static void hog(void *arg) {
    struct hogs *h = arg;
    uint64_t x = 1;
    while (!atomic_load_explicit(&h->stop, memory_order_relaxed)) {
        x = work(x);
    }
    atomic_fetch_add_explicit(&h->results, x, memory_order_relaxed);
    tuco_wg_done(&h->done);
}

static double sleep_late_us(void) {
    int64_t start_ns = bench_now_ns();
    tuco_sleep(SLEEP);
    return (double)(bench_now_ns() - start_ns - SLEEP) / 1e3;
}

static int compare_doubles(const void *left, const void *right) {
    double a = *(const double *)left;
    double b = *(const double *)right;
    return (a > b) - (a < b);
}

/* The smallest sample that is at least as large as percent of the samples. */
static double percentile(const double *sorted, int count, int percent) {
    return sorted[(count * percent + 99) / 100 - 1];
}

/* The first sleeps are not counted: the threads that they need do not exist yet. */
void bench_hogs_sleep(void) {
    static struct hogs h;
    static double late_us[SLEEPS];
    int hogs = HOGS_PER_P * tuco_procs(0);
    tuco_wg_add(&h.done, hogs);
    for (int i = 0; i < hogs; i++) {
        bench_check(tuco_go(hog, &h), "tuco_go");
    }
    for (int i = 0; i < SLEEPS_BEFORE; i++) {
        sleep_late_us();
    }
    for (int i = 0; i < SLEEPS; i++) {
        late_us[i] = sleep_late_us();
    }
    atomic_store_explicit(&h.stop, true, memory_order_relaxed);
    tuco_wg_wait(&h.done);
    qsort(late_us, SLEEPS, sizeof late_us[0], compare_doubles);
    bench_report_one("_p50", "us late", SLEEPS, percentile(late_us, SLEEPS, 50));
    bench_report_one("_p99", "us late", SLEEPS, percentile(late_us, SLEEPS, 99));
}

/* The work itself, when many goroutines share the Ps */

struct team;

struct worker {
    struct team *team;
    size_t units; /* 0: it had no turn in the window; written when it ends */
    uint64_t result;
};

struct team {
    int64_t end_ns;
    tuco_wg done;
    struct worker workers[CROWD];
};

/* Reads the clock without the library, so that this goroutine never calls it. */
static void work_until_end(void *arg) {
    struct worker *w = arg;
    int64_t end_ns = w->team->end_ns;
    size_t units = 0;
    uint64_t x = 1;
    while (bench_now_ns() < end_ns) {
        x = work(x);
        units++;
    }
    w->units = units;
    w->result = x;
    tuco_wg_done(&w->team->done);
}

struct outcome {
    double units_per_s;
    int unrun; /* goroutines without a turn in the window */
};

/* Measures until the last goroutine has exited, not until the end of the window: resuming
   those that were preempted then is part of the cost. */
static struct outcome work_together(int count) {
    static struct team t;
    int64_t start_ns = bench_now_ns();
    t.end_ns = start_ns + WINDOW;
    tuco_wg_add(&t.done, count);
    for (int i = 0; i < count; i++) {
        t.workers[i] = (struct worker){.team = &t};
        bench_check(tuco_go(work_until_end, &t.workers[i]), "tuco_go");
    }
    tuco_wg_wait(&t.done);
    double took_s = (double)(bench_now_ns() - start_ns) / 1e9;
    struct outcome o = {0};
    for (int i = 0; i < count; i++) {
        o.units_per_s += (double)t.workers[i].units / took_s;
        o.unrun += t.workers[i].units == 0;
    }
    return o;
}

/* A small difference of two large numbers: each is the best of several windows, made
   alternately. alone has as many goroutines as Ps, so that none waits or is preempted. */
void bench_preempt_cost(void) {
    double alone = 0;
    double shared = 0;
    int unrun = CROWD;
    int procs = tuco_procs(0) < CROWD ? tuco_procs(0) : CROWD;
    for (int i = 0; i < WINDOWS; i++) {
        struct outcome few = work_together(procs);
        struct outcome many = work_together(CROWD);
        alone = few.units_per_s > alone ? few.units_per_s : alone;
        shared = many.units_per_s > shared ? many.units_per_s : shared;
        unrun = many.unrun < unrun ? many.unrun : unrun;
    }
    bench_report_one(NULL, "% lost", WINDOWS, 100 * (1 - shared / alone));
    bench_report_one("_unrun", "goroutines", WINDOWS, unrun);
}
