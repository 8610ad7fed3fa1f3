/* SPDX-License-Identifier: MIT */
/* Computation of known length: a number of steps, not a time on the clock. */
#include "compute.h"

#include "harness.h"

#define TRIALS      200
#define TRIAL_STEPS 50000

/* noinline: the same loop for every caller. volatile: a call whose result is unused must
   not be optimized away. */
__attribute__((noinline)) uint64_t bench_compute(size_t steps) {
    uint64_t x = 1;
    for (size_t i = 0; i < steps; i++) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        __asm__ volatile("" : "+r"(x));
    }
    return x;
}

/* Takes the fastest trial: disturbances only add time. */
static double calibrate(void) {
    int64_t fastest_ns = INT64_MAX;
    for (int i = 0; i < TRIALS; i++) {
        int64_t start_ns = bench_now_ns();
        bench_compute(TRIAL_STEPS);
        int64_t took_ns = bench_now_ns() - start_ns;
        fastest_ns = took_ns < fastest_ns ? took_ns : fastest_ns;
    }
    return (double)TRIAL_STEPS / (double)fastest_ns;
}

size_t bench_steps(int64_t span_ns) {
    static double steps_per_ns; /* written once, by the only goroutine that runs */
    if (steps_per_ns == 0) {
        steps_per_ns = calibrate();
    }
    return (size_t)(steps_per_ns * (double)span_ns);
}
