/* SPDX-License-Identifier: MIT */
/* The states of a goroutine. rt_gstate_set() in g.h changes them. */
#ifndef RT_SCHED_GSTATE_H
#define RT_SCHED_GSTATE_H

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
 *   dead      free list, or none      nobody          spawn, or a foreign thread that
 *                                                     is about to wait
 *   runnable  one run queue, or in    nobody          the M that takes it off its queue
 *             an M's hands
 *   running   none; is m->g           its M           itself
 *   waiting   that of what it waits   nobody          who takes it off that queue, by
 *             for                                     rt_ready()
 *
 * A goroutine that has parked but whose registers are not saved yet is 'waiting' too;
 * nobody can wake it at that time, because it is published only after the switch: see
 * 'Commit' in park.h.
 */
#include "base/atomic.h"
#include "base/compiler.h"

struct rt_g;

enum rt_gstate {
    RT_G_DEAD = 6,
    RT_G_RUNNABLE = 1,
    RT_G_RUNNING = 2,
    RT_G_WAITING = 4,
};

/* The name shown in reports. */
const char *rt_gstate_name(uint32_t state);

/* Debug builds: ends the process if the table above has no such arrow, or if g is not in
   that state. */
void rt_gstate_check(const struct rt_g *g, enum rt_gstate from, enum rt_gstate to);

#endif
