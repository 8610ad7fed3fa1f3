/* SPDX-License-Identifier: MIT */
/* What does it cost to yield to another goroutine that is ready? */
#include <tuco.h>

#include "cases.h"
#include "harness.h"

#define YIELDS 5000000

struct yielders {
    size_t each;
    tuco_wg done;
};

static void yielder(void *arg) {
    struct yielders *y = arg;
    for (size_t i = 0; i < y->each; i++) {
        tuco_yield();
    }
    tuco_wg_done(&y->done);
}

static void yields(size_t n) {
    struct yielders y = {.each = n / 2};
    tuco_wg_add(&y.done, 2);
    for (int k = 0; k < 2; k++) {
        bench_check(tuco_go(yielder, &y), "tuco_go");
    }
    tuco_wg_wait(&y.done);
}

void bench_yield(void) {
    bench_time(YIELDS, yields, (struct bench_floor){.switches = 1});
}
