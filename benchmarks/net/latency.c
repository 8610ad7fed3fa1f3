/* SPDX-License-Identifier: MIT */
/* Collects latencies and reports their percentiles. */
#include "latency.h"

#include <stdlib.h>
#include <string.h>

#include "harness.h"

void bench_latencies_make(struct bench_latencies *l, size_t room) {
    *l = (struct bench_latencies){.room = room};
    l->ns = calloc(room, sizeof l->ns[0]);
    bench_check_made(l->ns, "latencies");
    memset(l->ns, 0xff, room * sizeof l->ns[0]);
}

void bench_latencies_free(struct bench_latencies *l) {
    free(l->ns);
}

void bench_latencies_add(struct bench_latencies *l, int64_t ns) {
    if (l->count == l->room) {
        bench_die("more than %zu latencies", l->room);
    }
    if (ns < 0 || ns > UINT32_MAX) {
        bench_die("a latency of %lld ns", (long long)ns);
    }
    l->ns[l->count++] = (uint32_t)ns;
}

static int compare(const void *left, const void *right) {
    uint32_t a = *(const uint32_t *)left;
    uint32_t b = *(const uint32_t *)right;
    return (a > b) - (a < b);
}

/* The smallest latency that is at least as large as percent of them. */
static double percentile_us(const struct bench_latencies *l, size_t percent) {
    size_t place = (l->count * percent + 99) / 100;
    return l->ns[place - 1] / 1e3;
}

void bench_latencies_report(struct bench_latencies *l, const char *unit) {
    if (l->count == 0) {
        bench_die("nothing was measured");
    }
    qsort(l->ns, l->count, sizeof l->ns[0], compare);
    bench_report_one("_p50", unit, l->count, percentile_us(l, 50));
    bench_report_one("_p99", unit, l->count, percentile_us(l, 99));
}
