/* SPDX-License-Identifier: MIT */
/* What does a value cost that goes back and forth between goroutines locked to threads? */
#include <stdbool.h>

#include <tuco.h>

#include "cases.h"
#include "harness.h"

/* With a thread switch at each hop, and without one. */
#define ROUND_TRIPS      20000
#define ROUND_TRIPS_FREE 500000

TUCO_CHAN(ints, int64_t);

/* Owned by the goroutine, which releases the channels. */
struct player {
    ints_chan *in;
    ints_chan *out;
    size_t values;
    bool locked;
    tuco_wg *done;
};

static void begin(const struct player *p) {
    if (p->locked) {
        tuco_lock_thread();
    }
}

/* Unlocks, because the thread of a goroutine that exits locked exits too. */
static void end(const struct player *p) {
    if (p->locked) {
        tuco_unlock_thread();
    }
    ints_unref(p->in);
    ints_unref(p->out);
    tuco_wg_done(p->done);
}

static void serve(void *arg) {
    struct player *p = arg;
    begin(p);
    for (size_t i = 0; i < p->values; i++) {
        int64_t v;
        ints_send(p->out, (int64_t)i);
        ints_recv(p->in, &v);
        if (v != (int64_t)i) {
            bench_die("%lld came back in place of %zu", (long long)v, i);
        }
    }
    end(p);
}

static void give_back(void *arg) {
    struct player *p = arg;
    begin(p);
    for (size_t i = 0; i < p->values; i++) {
        int64_t v;
        ints_recv(p->in, &v);
        ints_send(p->out, v);
    }
    end(p);
}

static ints_chan *make(void) {
    ints_chan *c = ints_make(0);
    bench_check_made(c, "ints_make");
    return c;
}

/* Uses two new goroutines, so that the main goroutine is never locked. */
static void play(size_t n, bool server_locked, bool other_locked) {
    ints_chan *a = make();
    ints_chan *b = make();
    tuco_wg done = {0};
    struct player server = {.in = ints_ref(b),
                            .out = ints_ref(a),
                            .values = n,
                            .locked = server_locked,
                            .done = &done};
    struct player other = {
        .in = a, .out = b, .values = n, .locked = other_locked, .done = &done};
    tuco_wg_add(&done, 2);
    bench_check(tuco_go_copy(serve, &server, sizeof server), "tuco_go_copy");
    bench_check(tuco_go_copy(give_back, &other, sizeof other), "tuco_go_copy");
    tuco_wg_wait(&done);
}

static void both(size_t n) {
    play(n, true, true);
}

static double one(size_t n) {
    int64_t start_ns = bench_now_ns();
    play(n, true, false);
    return (double)(bench_now_ns() - start_ns) / (double)n;
}

static double none(size_t n) {
    int64_t start_ns = bench_now_ns();
    play(n, false, false);
    return (double)(bench_now_ns() - start_ns) / (double)n;
}

void bench_locked_pingpong(void) {
    bench_time(ROUND_TRIPS, both, (struct bench_floor){0});
    bench_measure("_one", "ns/op", ROUND_TRIPS, one);
    bench_measure("_none", "ns/op", ROUND_TRIPS_FREE, none);
}
