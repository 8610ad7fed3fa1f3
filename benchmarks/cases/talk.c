/* SPDX-License-Identifier: MIT */
/* Do two goroutines that wake each other and keep computing use two Ps? */
#include <stdio.h>

#include <tuco.h>

#include "cases.h"
#include "compute.h"
#include "harness.h"

/* The total computation of a run on one CPU, and of the run that it is compared with. */
#define RUN_NS   (200 * (int64_t)1000000)
#define ALONE_NS (50 * (int64_t)1000000)

/* Rounds before the clock starts, in which the scheduler adapts. */
#define ROUNDS_BEFORE 10

static const int spans_us[] = {1, 5, 20, 100, 500};

/* What a pair does, and how often both goroutines together compute in a round. */
struct pair {
    tuco_fn *first;
    tuco_fn *second;
    int parts;
};

static size_t steps;
static size_t rounds;
static int64_t start_ns; /* written by first, read after done */
static tuco_chan *there;
static tuco_chan *back;
static tuco_wg done;

static const struct pair *running;

static void send_to(tuco_chan *c, size_t value) {
    bench_check(tuco_chan_send(c, &value), "tuco_chan_send");
}

static void expect_from(tuco_chan *c, size_t expected) {
    size_t value;
    bench_check(tuco_chan_recv(c, &value), "tuco_chan_recv");
    if (value != expected) {
        bench_die("received %zu, not %zu", value, expected);
    }
}

static void note_start(size_t round) {
    if (round == ROUNDS_BEFORE) {
        start_ns = bench_now_ns();
    }
}

/* A conversation: both compute, meet, compute, meet. The second to arrive wakes the other
   and keeps computing. */

static void talk_first(void *arg) {
    (void)arg;
    for (size_t i = 0; i < rounds + ROUNDS_BEFORE; i++) {
        note_start(i);
        bench_compute(steps);
        send_to(there, i);
        bench_compute(steps);
        expect_from(back, i);
    }
    tuco_wg_done(&done);
}

static void talk_second(void *arg) {
    (void)arg;
    for (size_t i = 0; i < rounds + ROUNDS_BEFORE; i++) {
        bench_compute(steps);
        expect_from(there, i);
        bench_compute(steps);
        send_to(back, i);
    }
    tuco_wg_done(&done);
}

/* Two stages of a pipeline. */

static void pipeline_first(void *arg) {
    (void)arg;
    for (size_t i = 0; i < rounds + ROUNDS_BEFORE; i++) {
        note_start(i);
        bench_compute(steps);
        send_to(there, i);
    }
    tuco_wg_done(&done);
}

static void pipeline_second(void *arg) {
    (void)arg;
    for (size_t i = 0; i < rounds + ROUNDS_BEFORE; i++) {
        expect_from(there, i);
        bench_compute(steps);
    }
    tuco_wg_done(&done);
}

/* Two new goroutines in each round: they meet and compute. */

static tuco_wg round_done;

static void new_first(void *value) {
    send_to(there, *(size_t *)value);
    bench_compute(steps);
    tuco_wg_done(&round_done);
}

static void new_second(void *value) {
    expect_from(there, *(size_t *)value);
    bench_compute(steps);
    tuco_wg_done(&round_done);
}

static void talk_new_rounds(void *arg) {
    (void)arg;
    for (size_t i = 0; i < rounds + ROUNDS_BEFORE; i++) {
        note_start(i);
        tuco_wg_add(&round_done, 2);
        bench_check(tuco_go(new_second, &i), "tuco_go");
        bench_check(tuco_go(new_first, &i), "tuco_go");
        tuco_wg_wait(&round_done);
    }
    tuco_wg_done(&done);
}

static void talk_new_other(void *arg) {
    (void)arg;
    tuco_wg_done(&done);
}

static const struct pair talkers = {talk_first, talk_second, 4};
static const struct pair new_talkers = {talk_new_rounds, talk_new_other, 2};
static const struct pair stages = {pipeline_first, pipeline_second, 2};

/* The time of one computation now, while only this goroutine runs. */
static double alone_ns(size_t times) {
    int64_t from_ns = bench_now_ns();
    for (size_t i = 0; i < times; i++) {
        bench_compute(steps);
    }
    return (double)(bench_now_ns() - from_ns) / (double)times;
}

static double run_pair(size_t parts) {
    int cpus = tuco_procs(0) > 1 ? 2 : 1;
    rounds = parts / (size_t)running->parts;
    double ideal_ns = alone_ns(parts / (RUN_NS / ALONE_NS)) * (double)parts / cpus;
    tuco_wg_add(&done, 2);
    bench_check(tuco_go(running->first, NULL), "tuco_go");
    bench_check(tuco_go(running->second, NULL), "tuco_go");
    tuco_wg_wait(&done);
    return (double)(bench_now_ns() - start_ns) / ideal_ns;
}

static void measure(const struct pair *pair) {
    running = pair;
    there = tuco_chan_make(sizeof(size_t), 0);
    back = tuco_chan_make(sizeof(size_t), 0);
    bench_check_made(there, "tuco_chan_make");
    bench_check_made(back, "tuco_chan_make");
    for (size_t i = 0; i < sizeof spans_us / sizeof spans_us[0]; i++) {
        int64_t span_ns = (int64_t)spans_us[i] * 1000;
        char suffix[16];
        snprintf(suffix, sizeof suffix, "_%dus", spans_us[i]);
        steps = bench_steps(span_ns);
        bench_measure(suffix, "x ideal", (size_t)(RUN_NS / span_ns), run_pair);
    }
    tuco_chan_unref(there);
    tuco_chan_unref(back);
}

void bench_talk(void) {
    measure(&talkers);
}

void bench_talk_new(void) {
    measure(&new_talkers);
}

void bench_pipeline(void) {
    measure(&stages);
}
