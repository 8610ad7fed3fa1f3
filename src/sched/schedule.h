/* SPDX-License-Identifier: MIT */
/* The scheduler's loop. */
#ifndef RT_SCHED_SCHEDULE_H
#define RT_SCHED_SCHEDULE_H

#include <stdbool.h>

struct rt_g;
struct rt_m;

/* Runs goroutines on m, on the thread's own stack, until the thread has to end. first: the
   first G to run, or NULL. Returns true if m has no P any more, so that its thread may end
   before the runtime does. */
bool rt_schedule(struct rt_m *m, struct rt_g *first);

#endif
