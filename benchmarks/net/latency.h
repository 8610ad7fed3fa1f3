/* SPDX-License-Identifier: MIT */
/* Collects latencies and reports their percentiles. */
#ifndef BENCH_NET_LATENCY_H
#define BENCH_NET_LATENCY_H

#include <stddef.h>
#include <stdint.h>

struct bench_latencies {
    size_t count;
    size_t room;
    uint32_t *ns; /* at most 4 seconds each */
};

/* Allocates room for that many and touches the memory, so that page faults do not
   count. */
void bench_latencies_make(struct bench_latencies *l, size_t room);

void bench_latencies_free(struct bench_latencies *l);

void bench_latencies_add(struct bench_latencies *l, int64_t ns);

/* Reports p50 and p99, in microseconds; unit is the unit's name in the report. */
void bench_latencies_report(struct bench_latencies *l, const char *unit);

#endif
