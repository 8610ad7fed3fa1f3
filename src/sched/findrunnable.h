/* SPDX-License-Identifier: MIT */
/* The scheduler's loop, and the parts of findrunnable that others call. */
#ifndef RT_SCHED_FINDRUNNABLE_H
#define RT_SCHED_FINDRUNNABLE_H

#include <stdbool.h>
#include <stdint.h>

struct rt_g;
struct rt_m;
struct rt_p;

/* Runs goroutines on m, on the thread's own stack, until the thread has to end. first: the
   first G to run, or NULL. Returns true if m has no P any more, so that its thread may end
   before the runtime does. */
bool rt_schedule(struct rt_m *m, struct rt_g *first);

/* Owner of p, between two goroutines. Ends the slice if that has been requested. stopped:
   a goroutine has just stopped. It, or one before it, put the G in runnext there, which
   shares their slice and goes behind others. */
void rt_findrunnable_serve_slice(struct rt_p *p, bool stopped);

/* M, on its scheduler stack, with a P. Fires the P's due timers for a slice of time, which
   may put Gs into its queue, and helps another P that has requested it. */
void rt_findrunnable_run_timers(struct rt_m *m);

/* Owner of thief. Returns the nearest other P whose ring has a G; of equally near ones, the
   first in random order. NULL: there is none. A hint. */
struct rt_p *rt_steal_victim(const struct rt_p *thief, uint32_t random);

#endif
