/* SPDX-License-Identifier: MIT */
/* How long each of many things took, and what so many of a hundred were within. */
#ifndef BENCH_NET_LATENCY_H
#define BENCH_NET_LATENCY_H

#include <stddef.h>
#include <stdint.h>

struct bench_latencies {
    size_t count;
    size_t room;
    uint32_t *ns; /* 4 seconds are the most */
};

/* With room for that many, which is in memory already: it does not count as time. */
void bench_latencies_make(struct bench_latencies *l, size_t room);

void bench_latencies_free(struct bench_latencies *l);

void bench_latencies_add(struct bench_latencies *l, int64_t ns);

/* Reports p50 and p99 in that unit, which is of microseconds, under these names. */
void bench_latencies_report(struct bench_latencies *l, const char *unit);

#endif
