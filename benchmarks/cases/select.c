/* SPDX-License-Identifier: MIT */
/* What does it cost to receive from whichever of two channels has a value? */
#include <tuco.h>

#include "cases.h"
#include "harness.h"

#define VALUES 1000000

TUCO_CHAN(ints, int64_t);

/* Owned by the goroutine, which releases the channels. */
struct sender {
    ints_chan *even;
    ints_chan *odd;
    size_t values;
};

static void take_turns(void *arg) {
    struct sender *s = arg;
    for (size_t i = 0; i < s->values; i++) {
        ints_send(i % 2 == 0 ? s->even : s->odd, (int64_t)i);
    }
    ints_unref(s->even);
    ints_unref(s->odd);
}

static void select_two(size_t n) {
    ints_chan *a = ints_make(0);
    ints_chan *b = ints_make(0);
    bench_check_made(a, "ints_make");
    bench_check_made(b, "ints_make");
    struct sender s = {.even = ints_ref(a), .odd = ints_ref(b), .values = n};
    bench_check(tuco_go_copy(take_turns, &s, sizeof s), "tuco_go_copy");
    int64_t v;
    tuco_case cases[] = {TUCO_RECV(a, &v), TUCO_RECV(b, &v)};
    for (size_t i = 0; i < n; i++) {
        int chosen = tuco_select(cases, 2);
        if (chosen != (int)(i % 2) || v != (int64_t)i) {
            bench_die("value %zu: case %d, value %lld", i, chosen, (long long)v);
        }
    }
    ints_unref(a);
    ints_unref(b);
}

/* Of two values, one finds the receiver waiting and the other finds its sender waiting:
   one switch each. These two values need two sends and a receive, under one lock each, and
   a select that waits: it enters two queues under two locks, and its sender must claim it
   against senders of the other channel. That makes six atomic operations, or three pairs.
   Leaving the other queue is not counted, because it could be done lazily. */
void bench_select2(void) {
    bench_time(VALUES, select_two, (struct bench_floor){.switches = 1, .pairs = 1.5});
}
