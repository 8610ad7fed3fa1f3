/* SPDX-License-Identifier: MIT */
/* The entry point of every case in cases.def: bench_<name>(), called once by main(). */
#ifndef BENCH_CASES_H
#define BENCH_CASES_H

#define BENCH_CASE(name, place, procs) void bench_##name(void);
#include "cases.def"
#undef BENCH_CASE

#endif
