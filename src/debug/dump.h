/* SPDX-License-Identifier: MIT */
/* Prints goroutines in the format of Go's tracebacks. */
#ifndef RT_DEBUG_DUMP_H
#define RT_DEBUG_DUMP_H

#include <stdint.h>
#include <stdbool.h>

struct rt_g;

/* Prints every goroutine to fd. Callable at any time from any thread. While goroutines
   run, each is shown as it was at some moment during the call. */
void rt_dump_goroutines(int fd);

/* Prints "goroutine 7 [state] {name: x}:". */
void rt_dump_header(int fd, const struct rt_g *g, const char *state);

/* Prints which goroutine or thread created g, and where. */
void rt_dump_creator(int fd, const struct rt_g *g);

/* After a fatal message: prints which goroutine the calling thread was running and its
   traceback. The parameters are those of rt_backtrace_print(). */
void rt_dump_current(const void *skip_until, bool whole);

/* For a process that is about to end, after the report has printed all that needs no
   names. Returns when functions can be named. */
void rt_dump_await_names(void);

/* Called by sysmon at every tick. Ends the process if rt_dump_await_names() takes too
   long. Returns the latest time of its next call; OS_NEVER: at the next tick, whenever
   that is. */
int64_t rt_dump_guard(int64_t now_ns);

#endif
