/* SPDX-License-Identifier: MIT */
/* The load of every BENCH_NET in cases.def: bench_load_<name>(), called once by main(). */
#ifndef BENCH_NET_LOADS_H
#define BENCH_NET_LOADS_H

#include "server.h"

#define BENCH_CASE(name, place, procs)
#define BENCH_NET(name, kind, procs) void bench_load_##name(const struct bench_server *s);
#include "cases.def"
#undef BENCH_NET
#undef BENCH_CASE

#endif
