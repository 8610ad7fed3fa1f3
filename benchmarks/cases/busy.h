/* SPDX-License-Identifier: MIT */
/* Goroutines that compute and yield forever, and count their turns. */
#ifndef BENCH_BUSY_H
#define BENCH_BUSY_H

#include <stdint.h>

/* Starts count goroutines that compute for span_ns, yield, and repeat. Returns when each
   has had some turns. One team at a time. */
void bench_busy_start(int count, int64_t span_ns);

/* Returns the number of turns that the team has completed. */
int64_t bench_busy_turns(void);

/* Makes one member call job() at the end of a turn, as part of the turn. */
void bench_busy_ask(void (*job)(void));

/* Ends the team after that many turns in total, unless it is stopped before. */
void bench_busy_limit(int64_t turns);

/* Marks the first turn that completes at or after this time of bench_now_ns(). */
void bench_busy_mark(int64_t at_ns);

/* Returns the number of turns since the marked one; 0 if no turn is marked yet. */
int64_t bench_busy_turns_since_mark(void);

/* Ends the team and waits until all members have exited. */
void bench_busy_stop(void);

#endif
