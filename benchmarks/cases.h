/* SPDX-License-Identifier: MIT */
/* The entry point of every BENCH_CASE in cases.def: bench_<name>(), called once by
   main(). */
#ifndef BENCH_CASES_H
#define BENCH_CASES_H

#define BENCH_CASE(name, place, procs) void bench_##name(void);
#define BENCH_NET(name, kind, procs)
#include "cases.def"
#undef BENCH_NET
#undef BENCH_CASE

#endif
