/* SPDX-License-Identifier: MIT */
/* Ms without a P, and Ps without an M: how they come together. */
#ifndef RT_SCHED_SPARE_H
#define RT_SCHED_SPARE_H

#include "base/compiler.h"
#include <stdbool.h>
#include <stdint.h>

struct rt_m;
struct rt_p;

/* M, without a P, on its scheduler stack: waits until it gets one, true; or until it has
   to end, false: the runtime ends, or it has not been needed for long. */
bool rt_spare_wait(struct rt_m *m);

/* M, when its thread has begun without a P: takes one that wants a thread. False: none
   does. */
bool rt_spare_begin(struct rt_m *m);

/* p, which nobody else can reach, goes to a spare M. spinning: a searcher is counted for
   it. False: there is none. Any thread; a signal handler as well. */
bool rt_spare_give(struct rt_p *p, bool spinning);

/* How many there are: a hint. */
uint32_t rt_spare_count(void);

/* The caller, who has p in his hands, has no use for it: it goes to whoever waits for it,
   to a spare or a new M if there is work for it, or to the idle ones. Any thread; a signal
   handler as well. */
void rt_handoff(struct rt_p *p);

/* The same where no thread may be waited for that has yet to be started, if there is
   another way: see preempt.c. */
void rt_handoff_at_once(struct rt_p *p);

/* Whether there is work for p that any M could do, at this moment. Who has p in his
   hands. */
bool rt_handoff_has_work(struct rt_p *p);

/* Wakes all spare Ms for the end of the runtime; from then on nobody waits. */
void rt_spare_release_all(void);

/* Before the runtime runs. */
void rt_spare_reset(void);

#endif
