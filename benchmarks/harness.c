/* SPDX-License-Identifier: MIT */
/* Measures a case: warm-up, repetitions, statistics; prints one line of JSON per
   figure. */
#include "harness.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include <tuco.h>

#include "machine.h"

struct figure {
    const char *suffix;
    const char *unit;
    size_t ops;
    double *samples; /* sorted by report() */
    int count;
    struct bench_floor floor;
};

static const char own_peer[] = "tuco";

/* Immutable after bench_begin() or bench_begin_peer(). */
static const char *case_peer;
static const char *case_name;
static int case_procs;

void bench_die(const char *format, ...) {
    va_list args;
    fprintf(stderr, "%s: ", program_invocation_short_name);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    exit(1);
}

void bench_check(int result, const char *what) {
    if (result < 0) {
        bench_die("%s: %s", what, strerror(-result));
    }
}

void bench_check_made(const void *object, const char *what) {
    if (object == NULL) {
        bench_die("%s: no memory", what);
    }
}

void bench_raise_descriptor_limit(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) {
        bench_die("getrlimit: %m");
    }
    limit.rlim_cur = limit.rlim_max;
    if (setrlimit(RLIMIT_NOFILE, &limit) != 0) {
        bench_die("setrlimit: %m");
    }
}

static int compare_doubles(const void *left, const void *right) {
    double a = *(const double *)left;
    double b = *(const double *)right;
    return (a > b) - (a < b);
}

static double median(const double *sorted, int count) {
    return (sorted[(count - 1) / 2] + sorted[count / 2]) / 2;
}

static void report(struct figure *f) {
    qsort(f->samples, (size_t)f->count, sizeof *f->samples, compare_doubles);
    bool own = strcmp(case_peer, own_peer) == 0;
    printf("{\"peer\":\"%s\"", case_peer);
    if (own) {
        printf(",\"version\":\"%s\"", tuco_version());
    }
    printf(",\"case\":\"%s\",\"figure\":\"%s%s\"", case_name, case_name,
           f->suffix ? f->suffix : "");
    printf(",\"procs\":%d,\"unit\":\"%s\",\"ops\":%zu,\"reps\":%d", case_procs, f->unit,
           f->ops, f->count);
    double best = f->samples[0];
    double worst = f->samples[f->count - 1];
    printf(",\"best\":%.4f,\"median\":%.4f,\"worst\":%.4f", best,
           median(f->samples, f->count), worst);
    if (best > 0) {
        printf(",\"spread\":%.4f", (worst - best) / best);
    }
    if (f->floor.switches > 0 || f->floor.pairs > 0) {
        printf(",\"switches\":%.4f,\"pairs\":%.4f", f->floor.switches, f->floor.pairs);
    }
    if (own) {
        printf(",\"machine\":");
        bench_machine_json(stdout);
    }
    printf("}\n");
    if (fflush(stdout) != 0) {
        bench_die("cannot write the result");
    }
}

void bench_begin(const char *name, int procs) {
    bench_begin_peer(own_peer, name, procs);
}

void bench_begin_peer(const char *peer, const char *name, int procs) {
    case_peer = peer;
    case_name = name;
    case_procs = procs;
}

int64_t bench_now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

void bench_time(size_t ops, void (*run)(size_t ops), struct bench_floor floor) {
    double samples[BENCH_REPETITIONS];
    run(ops);
    for (int i = 0; i < BENCH_REPETITIONS; i++) {
        int64_t start_ns = bench_now_ns();
        run(ops);
        samples[i] = (double)(bench_now_ns() - start_ns) / (double)ops;
    }
    struct figure f = {
        .unit = "ns/op",
        .ops = ops,
        .samples = samples,
        .count = BENCH_REPETITIONS,
        .floor = floor,
    };
    report(&f);
}

void bench_measure(const char *suffix, const char *unit, size_t ops,
                   double (*run)(size_t ops)) {
    double samples[BENCH_REPETITIONS];
    run(ops);
    for (int i = 0; i < BENCH_REPETITIONS; i++) {
        samples[i] = run(ops);
    }
    struct figure f = {
        .suffix = suffix,
        .unit = unit,
        .ops = ops,
        .samples = samples,
        .count = BENCH_REPETITIONS,
    };
    report(&f);
}

void bench_report_one(const char *suffix, const char *unit, size_t ops, double value) {
    struct figure f = {
        .suffix = suffix,
        .unit = unit,
        .ops = ops,
        .samples = &value,
        .count = 1,
    };
    report(&f);
}

/* The smallest sample that is at least as large as percent of the samples. */
static double percentile(const double *sorted, int count, int percent) {
    return sorted[(count * percent + 99) / 100 - 1];
}

void bench_report_percentiles(const char *unit, double *samples, int count) {
    qsort(samples, (size_t)count, sizeof *samples, compare_doubles);
    bench_report_one("_p50", unit, (size_t)count, percentile(samples, count, 50));
    bench_report_one("_p99", unit, (size_t)count, percentile(samples, count, 99));
    bench_report_one("_worst", unit, (size_t)count, samples[count - 1]);
}
