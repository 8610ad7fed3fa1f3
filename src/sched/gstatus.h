/* SPDX-License-Identifier: MIT */
/* The states of a goroutine. rt_gstatus_set() in g.h changes them. */
#ifndef RT_SCHED_GSTATUS_H
#define RT_SCHED_GSTATUS_H

/*
 *                 +------------------- yield --------------------+
 *                 v                                              |
 *  dead --> runnable ------------- execute ------------------> running --> dead
 *   ^             ^                                              |           |
 *   |             +---- ready ---- waiting <------ park ---------+           |
 *   +------------------------------ reuse -----------------------------------+
 *
 * Numbers are Go's.
 *
 *   state     queue                   stack used by   moved on by
 *   dead      free list, or none      none            spawn, or a foreign thread that is
 *                                                     about to wait
 *   runnable  one run queue, or just  none            the M that dequeued it
 *             dequeued by an M
 *   running   none; is m->g           its M           itself
 *   waiting   a wait queue            none            the waker that took it off that
 *                                                     queue, by rt_ready()
 *
 * A goroutine that has parked is 'waiting' even before its registers are saved. No waker
 * can find it then, because it is published only after the switch: see 'Commit' in park.h.
 */
#include "base/atomic.h"
#include "base/compiler.h"

struct rt_g;

enum rt_gstatus {
    RT_G_DEAD = 6,
    RT_G_RUNNABLE = 1,
    RT_G_RUNNING = 2,
    RT_G_WAITING = 4,
};

/* The name shown in reports. */
const char *rt_gstatus_name(uint32_t state);

/* Debug builds only. Ends the process if the table has no such arrow, or if g is not in
   state from. */
void rt_gstatus_check(const struct rt_g *g, enum rt_gstatus from, enum rt_gstatus to);

#endif
