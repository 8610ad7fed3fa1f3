/* SPDX-License-Identifier: MIT */
/* How many runnable goroutines are in the queues. */
#ifndef RT_SCHED_PENDING_H
#define RT_SCHED_PENDING_H

#include "sched/globq.h"
#include "sched/runq.h"
#include "sched/thread/lockedm.h"
#include <stdbool.h>
#include <stdint.h>

/* How many runnable Gs are in rings, the global queue and the list of locked goroutines, at
   most enough. runnext does not count: see 'Lone runnext' in wakep.c. */
uint32_t rt_pending_count(uint32_t enough);

/* The same without those that their Ps keep: see rt_runq_keep(). Decides whether to wake an
   M. */
uint32_t rt_pending_surplus(uint32_t enough);

/* Whether p's queues, the global queue or the list of locked goroutines has a runnable G. A
   hint if the caller does not own p. */
static inline bool rt_pending_for(const struct rt_p *p) {
    return rt_p_has_any(p) || rt_globq_length() > 0 || rt_lockedm_length() > 0;
}

#endif
