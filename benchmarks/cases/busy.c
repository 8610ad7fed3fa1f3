/* SPDX-License-Identifier: MIT */
/* Goroutines that compute and yield forever, and count their turns. */
#include "busy.h"

#include <stdatomic.h>
#include <stdbool.h>

#include <tuco.h>

#include "compute.h"
#include "harness.h"

#define TURNS_BEFORE 3

/* Atomic. relaxed, except for job: counters and flags that publish nothing. */
static struct {
    size_t steps;
    atomic_bool stop;
    void (*_Atomic job)(void);
    atomic_int_least64_t turns;
    atomic_int_least64_t limit;
    atomic_int_least64_t mark_ns; /* INT64_MAX: none */
    atomic_int_least64_t marked;  /* turns at the mark, or 0 */
    tuco_wg begun;
    tuco_wg done;
} team;

static void count_turn(void) {
    int64_t turn = atomic_fetch_add_explicit(&team.turns, 1, memory_order_relaxed) + 1;
    if (bench_now_ns() >= atomic_load_explicit(&team.mark_ns, memory_order_relaxed)) {
        int64_t none = 0;
        atomic_compare_exchange_strong_explicit(
            &team.marked, &none, turn, memory_order_relaxed, memory_order_relaxed);
    }
}

/* acq_rel: sees what the job reads. Pairs with the release in bench_busy_ask(). */
static void do_job(void) {
    if (atomic_load_explicit(&team.job, memory_order_relaxed) == NULL) {
        return;
    }
    void (*job)(void) = atomic_exchange_explicit(&team.job, NULL, memory_order_acq_rel);
    if (job != NULL) {
        job();
    }
}

static bool goes_on(void) {
    return !atomic_load_explicit(&team.stop, memory_order_relaxed) &&
           bench_busy_turns() < atomic_load_explicit(&team.limit, memory_order_relaxed);
}

static void be_busy(void *arg) {
    (void)arg;
    for (int i = 0; goes_on(); i++) {
        bench_compute(team.steps);
        count_turn();
        do_job();
        if (i + 1 == TURNS_BEFORE) {
            tuco_wg_done(&team.begun);
        }
        tuco_yield();
    }
    tuco_wg_done(&team.done);
}

void bench_busy_start(int count, int64_t span_ns) {
    team.steps = bench_steps(span_ns);
    atomic_store_explicit(&team.stop, false, memory_order_relaxed);
    atomic_store_explicit(&team.turns, 0, memory_order_relaxed);
    atomic_store_explicit(&team.limit, INT64_MAX, memory_order_relaxed);
    atomic_store_explicit(&team.marked, 0, memory_order_relaxed);
    atomic_store_explicit(&team.mark_ns, INT64_MAX, memory_order_relaxed);
    tuco_wg_add(&team.begun, count);
    tuco_wg_add(&team.done, count);
    for (int i = 0; i < count; i++) {
        bench_check(tuco_go(be_busy, NULL), "tuco_go");
    }
    tuco_wg_wait(&team.begun);
}

int64_t bench_busy_turns(void) {
    return atomic_load_explicit(&team.turns, memory_order_relaxed);
}

/* release: publishes what the job reads. Pairs with the exchange in do_job(). */
void bench_busy_ask(void (*job)(void)) {
    atomic_store_explicit(&team.job, job, memory_order_release);
}

void bench_busy_limit(int64_t turns) {
    atomic_store_explicit(&team.limit, turns, memory_order_relaxed);
}

void bench_busy_mark(int64_t at_ns) {
    atomic_store_explicit(&team.mark_ns, at_ns, memory_order_relaxed);
}

int64_t bench_busy_turns_since_mark(void) {
    int64_t marked = atomic_load_explicit(&team.marked, memory_order_relaxed);
    return marked == 0 ? 0 : bench_busy_turns() - marked;
}

void bench_busy_stop(void) {
    atomic_store_explicit(&team.stop, true, memory_order_relaxed);
    tuco_wg_wait(&team.done);
}
