/* SPDX-License-Identifier: MIT */
/* Measures a case: warm-up, repetitions, statistics, and one line of JSON per figure. */
#ifndef BENCH_HARNESS_H
#define BENCH_HARNESS_H

#include <stddef.h>
#include <stdint.h>

/* How often a timed case is repeated, after one repetition that is not counted. */
#define BENCH_REPETITIONS 5

/* Values of the Ps of a case besides a fixed number. */
#define BENCH_PROCS_NONE (-1)
#define BENCH_PROCS_ANY  0

/* What no implementation with a stack per goroutine can avoid, per operation on one P.
   The report multiplies it by the costs that the cases "switch" and "atomic_pair"
   measured in the same run. All zero: no limit is known. */
struct bench_floor {
    double switches; /* stack switches */
    double pairs;    /* pairs of uncontended atomic additions */
};

/* What every line of the running case has in common. Set once by main(), before the case
   starts. */
void bench_begin(const char *name, int procs);

/* The same in a program that measures the processes of others: peer, which is kept, is
   whose figures these are. Only those of "tuco" carry its version and the facts about the
   machine. */
void bench_begin_peer(const char *peer, const char *name, int procs);

/* Nanoseconds on the monotonic clock, read past the library: the ruler is not what is
   measured. */
int64_t bench_now_ns(void);

/* Times run(ops): once to warm up, then BENCH_REPETITIONS times, and reports nanoseconds
   per operation under the name of the case. */
void bench_time(size_t ops, void (*run)(size_t ops), struct bench_floor floor);

/* Repeats run(ops) in the same way, and reports what it returns, in that unit: for what
   is no time per operation, and for one part of what run() does. Less has to be better.
   Suffix as below. */
void bench_measure(const char *suffix, const char *unit, size_t ops,
                   double (*run)(size_t ops));

/* Reports one value that was measured once, such as bytes. Suffix, if not NULL, is
   appended to the name of the case: a case may report several figures. */
void bench_report_one(const char *suffix, const char *unit, size_t ops, double value);

/* Ends the process with a message if result is a negative errno value. */
void bench_check(int result, const char *what);

/* Ends the process with a message if there was no memory for an object. */
void bench_check_made(const void *object, const char *what);

/* As far as the process may by itself. */
void bench_raise_descriptor_limit(void);

/* Ends the process with a message and exit status 1. */
_Noreturn void bench_die(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
