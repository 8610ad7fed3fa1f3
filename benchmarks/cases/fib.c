/* SPDX-License-Identifier: MIT */
/* What does a node of a tree cost that starts a child, works, and waits for the child? */
#include <tuco.h>

#include "cases.h"
#include "harness.h"

#define FIB_ARGUMENT 27
#define FIB_RESULT   196418

/* How many goroutines fib(27) starts: one for each call with an argument above 1. */
#define FIB_SPAWNS 317810

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
    /* Safe because the wait below ends only after the child's last touch. */
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

static void fib_once(size_t spawns) {
    (void)spawns;
    long result = fib(FIB_ARGUMENT);
    if (result != FIB_RESULT) {
        bench_die("fib(%d) is %d, not %ld", FIB_ARGUMENT, FIB_RESULT, result);
    }
}

/* Each child is entered once; its wait group counts up and down. Waiting can be free: the
   child may have ended before. */
void bench_fib(void) {
    bench_time(FIB_SPAWNS, fib_once, (struct bench_floor){.switches = 1, .pairs = 1});
}
