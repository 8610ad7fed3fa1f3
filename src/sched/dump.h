/* SPDX-License-Identifier: MIT */
/* Goroutines in words, in Go's grammar. */
#ifndef RT_SCHED_DUMP_H
#define RT_SCHED_DUMP_H

#include <stdint.h>

struct rt_g;

/* Prints every goroutine to fd. May be called at any time and from any thread; while
   goroutines run, each is shown as it was at a moment during the call. */
void rt_dump_goroutines(int fd);

/* Prints "goroutine 7 [state] {name: x}:". */
void rt_dump_header(int fd, const struct rt_g *g, const char *state);

/* Prints who started it and where. */
void rt_dump_creator(int fd, const struct rt_g *g);

/* After a fatal message: which goroutine the calling thread was running, and where it
   was. */
void rt_dump_current(void);

/* The process ends with a report, all of which is out that needs nothing of others. Returns
   when functions can be named. */
void rt_dump_await_names(void);

/* Monitor, at every look. Ends the process if that has taken too long. Returns when it wants
   to look again, at the latest; OS_NEVER: whenever others do. */
int64_t rt_dump_guard(int64_t now_ns);

#endif
