/* SPDX-License-Identifier: MIT */
/* What does a mutex cost, without contention and with eight contending goroutines? */
#include <tuco.h>

#include "cases.h"
#include "harness.h"

#define LOCKS      20000000
#define CONTENDED  8000000
#define CONTENDERS 8

static void lock_alone(size_t n) {
    tuco_mutex m = {0};
    for (size_t i = 0; i < n; i++) {
        tuco_mutex_lock(&m);
        tuco_mutex_unlock(&m);
    }
}

/* Lock and unlock need at least one atomic operation each. */
void bench_mutex(void) {
    bench_time(LOCKS, lock_alone, (struct bench_floor){.pairs = 1});
}

struct contention {
    tuco_mutex m;
    volatile long counter; /* under m; volatile, so that each addition is made */
    size_t each;
    tuco_wg done;
};

static void contender(void *arg) {
    struct contention *c = arg;
    for (size_t i = 0; i < c->each; i++) {
        tuco_mutex_lock(&c->m);
        c->counter++;
        tuco_mutex_unlock(&c->m);
    }
    tuco_wg_done(&c->done);
}

static void lock_together(size_t n) {
    struct contention c = {.each = n / CONTENDERS};
    tuco_wg_add(&c.done, CONTENDERS);
    for (int k = 0; k < CONTENDERS; k++) {
        bench_check(tuco_go(contender, &c), "tuco_go");
    }
    tuco_wg_wait(&c.done);
    if ((size_t)c.counter != n) {
        bench_die("the counter is %ld, not %zu", c.counter, n);
    }
}

void bench_mutex_contended8(void) {
    bench_time(CONTENDED, lock_together, (struct bench_floor){.pairs = 1});
}
