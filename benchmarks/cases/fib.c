/* SPDX-License-Identifier: MIT */
/* What does a tree node cost that spawns a child, works, and waits for the child? */
#include <tuco.h>

#include "cases.h"
#include "harness.h"

#define FIB_ARGUMENT 27
#define FIB_RESULT   196418

/* The number of goroutines of fib(27): one for each call with an argument above 1. */
#define FIB_SPAWNS 317810

/* With a wait group */

struct child {
    int argument;
    long result;
    tuco_wg done;
};

static void run_child(void *arg);

static long fib(int n) {
    if (n < 2) {
        return n;
    }
    /* Safe because the wait below returns only after the child's last access. */
    struct child c = {.argument = n - 1};
    tuco_wg_add(&c.done, 1);
    bench_check(tuco_go(run_child, &c), "tuco_go");
    long own = fib(n - 2);
    tuco_wg_wait(&c.done);
    return own + c.result;
}

static void run_child(void *arg) {
    struct child *c = arg;
    c->result = fib(c->argument);
    tuco_wg_done(&c->done);
}

static void check_result(long result) {
    if (result != FIB_RESULT) {
        bench_die("fib(%d) is %d, not %ld", FIB_ARGUMENT, FIB_RESULT, result);
    }
}

static void fib_once(size_t spawns) {
    (void)spawns;
    check_result(fib(FIB_ARGUMENT));
}

/* Each child is entered once; its wait group counts up and down. Waiting may be free: the
   child may have exited before. */
void bench_fib(void) {
    bench_time(FIB_SPAWNS, fib_once, (struct bench_floor){.switches = 1, .pairs = 1});
}

/* With a channel */

TUCO_CHAN(longs, long);

/* Owned by the goroutine, which releases the channel. */
struct sender {
    int argument;
    longs_chan *result;
};

static void send_fib(void *arg);

static long fib_chan(int n) {
    if (n < 2) {
        return n;
    }
    longs_chan *c = longs_make(1);
    bench_check_made(c, "longs_make");
    struct sender s = {.argument = n - 1, .result = longs_ref(c)};
    bench_check(tuco_go_copy(send_fib, &s, sizeof s), "tuco_go_copy");
    long own = fib_chan(n - 2);
    long other;
    longs_recv(c, &other);
    longs_unref(c);
    return own + other;
}

static void send_fib(void *arg) {
    struct sender *s = arg;
    longs_send(s->result, fib_chan(s->argument));
    longs_unref(s->result);
}

static void fib_chan_once(size_t spawns) {
    (void)spawns;
    check_result(fib_chan(FIB_ARGUMENT));
}

/* Each child is entered once; its result is sent and received, half a pair each for the
   lock. Allocating the channel is not counted. */
void bench_fib_chan(void) {
    bench_time(FIB_SPAWNS, fib_chan_once,
               (struct bench_floor){.switches = 1, .pairs = 1});
}
