/* SPDX-License-Identifier: MIT */
/* Measures a case: warm-up, repetitions, statistics; prints one line of JSON per
   figure. */
#ifndef BENCH_HARNESS_H
#define BENCH_HARNESS_H

#include <stddef.h>
#include <stdint.h>

/* Repetitions of a timed case, after a warm-up that is not counted. */
#define BENCH_REPETITIONS 5

/* The number of Ps of a case: one of these, or a fixed number. */
#define BENCH_PROCS_NONE (-1)
#define BENCH_PROCS_ANY  0

/* The cost per operation on one P that no implementation with a stack per goroutine can
   avoid. The report multiplies it by what the cases "switch" and "atomic_pair" measured in
   the same run. All zero: no floor is known. */
struct bench_floor {
    double switches; /* stack switches */
    double pairs;    /* pairs of uncontended atomic additions */
};

/* Sets what all lines of the running case have in common. Called once by main(), before
   the case starts. */
void bench_begin(const char *name, int procs);

/* The same in a program that measures other processes: peer names whose figures these are;
   the pointer is kept. Only figures of "tuco" carry its version and the facts about the
   machine. */
void bench_begin_peer(const char *peer, const char *name, int procs);

/* Nanoseconds on the monotonic clock, read without the library, which is what is
   measured. */
int64_t bench_now_ns(void);

/* Times run(ops): once to warm up, then BENCH_REPETITIONS times, and reports nanoseconds
   per operation under the name of the case. */
void bench_time(size_t ops, void (*run)(size_t ops), struct bench_floor floor);

/* Repeats run(ops) in the same way and reports what it returns, in that unit: for figures
   that are not a time per operation, and for a part of what run() does. Less must be
   better. suffix as below. */
void bench_measure(const char *suffix, const char *unit, size_t ops,
                   double (*run)(size_t ops));

/* Reports one value that was measured once, such as bytes. suffix, if not NULL, is
   appended to the name of the case: a case may report several figures. */
void bench_report_one(const char *suffix, const char *unit, size_t ops, double value);

/* Sorts the samples and reports the median, the 99th percentile and the maximum, with the
   suffixes _p50, _p99 and _worst. */
void bench_report_percentiles(const char *unit, double *samples, int count);

/* Ends the process with a message if result is a negative errno value. */
void bench_check(int result, const char *what);

/* Ends the process with a message if there was no memory for an object. */
void bench_check_made(const void *object, const char *what);

/* Raises the limit on open descriptors as far as the process may. */
void bench_raise_descriptor_limit(void);

/* Ends the process with a message and exit status 1. */
_Noreturn void bench_die(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
