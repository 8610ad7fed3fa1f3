/* SPDX-License-Identifier: MIT */
/* Goroutines that wait for stack memory. */
#ifndef RT_SCHED_STARVED_H
#define RT_SCHED_STARVED_H

/*
 * No stack. ('No stack') If there is no memory for a stack, the goroutine waits in a list,
 * and sysmon queues it again from time to time. Memory may become free, and the spawn has
 * returned success long ago, so there is no caller left to return an error to.
 *
 * rt_sched.starved counts the goroutines in the list.
 */
#include "base/compiler.h"
#include <stdint.h>

struct rt_g;

/* M, on its scheduler stack. There is no stack for g, which it has taken off a queue. */
RT_COLD void rt_starved_add(struct rt_g *g);

/* Sysmon. Puts all of them into the global queue, to try again. Returns how many; the
   caller then calls rt_wakep(). */
uint32_t rt_starved_feed(void) RT_NODISCARD;

/* While the lock is held, no goroutine moves from the starved ones to the global queue. */
void rt_starved_lock(void);
void rt_starved_unlock(void);

/* At the end of the runtime. Drops the goroutines that still wait for a stack. */
void rt_starved_reset(void);

#endif
