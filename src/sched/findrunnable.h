/* SPDX-License-Identifier: MIT */
/* findrunnable: where the next goroutine comes from. */
#ifndef RT_SCHED_FINDRUNNABLE_H
#define RT_SCHED_FINDRUNNABLE_H

#include <stdint.h>

struct rt_g;
struct rt_m;
struct rt_p;

/* M, on its scheduler stack, with a P. Looks at all sources and sleeps if there is nothing.
   Returns a G to run. NULL: m has lost its P, or, if it still has one, the runtime ends. */
struct rt_g *rt_findrunnable(struct rt_m *m);

/* M, on its scheduler stack, with a P. Fires the P's due timers for a slice of time, which
   may put Gs into its queue, and helps another P that has requested it. */
void rt_findrunnable_run_timers(struct rt_m *m);

/* Owner of thief. Returns the nearest other P whose ring has a G; of equally near ones, the
   first in random order. NULL: there is none. A hint. */
struct rt_p *rt_steal_victim(const struct rt_p *thief, uint32_t random);

#endif
