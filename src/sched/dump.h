/* SPDX-License-Identifier: MIT */
/* Goroutines in words, in Go's grammar. */
#ifndef RT_SCHED_DUMP_H
#define RT_SCHED_DUMP_H

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

#endif
