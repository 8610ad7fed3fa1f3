/* SPDX-License-Identifier: MIT */
/* Computation of known length: a number of steps, not a time on the clock. */
#ifndef BENCH_COMPUTE_H
#define BENCH_COMPUTE_H

#include <stddef.h>
#include <stdint.h>

/* Returns how many steps take span_ns on an undisturbed CPU. The first call calibrates, so
   it must come before anything else runs. */
size_t bench_steps(int64_t span_ns);

/* Computes that many steps. */
uint64_t bench_compute(size_t steps);

#endif
