/* SPDX-License-Identifier: MIT */
/* runtimer: fires the timers that are due. */
#ifndef RT_SCHED_RUNTIMER_H
#define RT_SCHED_RUNTIMER_H

#include "sched/tuning.h"
#include <stdbool.h>
#include <stdint.h>

struct rt_p;

/* On a scheduler stack. Fires the timers of p that are due at now_ns, for about a
   millisecond at most. Goroutines become runnable on the caller's P. A thief fires for a
   shorter time, and stops when it has a goroutine to run or the wheel's lock is taken.
   Returns true if more timers are due. */
bool rt_timers_run(struct rt_p *p, int64_t now_ns, bool is_owner);

/* Sysmon. Fires the timers of its own wheel that are due at now_ns, for about a millisecond
   at most. If some are left, its clock stays due. */
void rt_timers_run_sysmon(int64_t now_ns);

#endif
