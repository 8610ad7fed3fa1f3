/* SPDX-License-Identifier: MIT */
/* Spare Ms, which have no P, and the handoff of Ps. */
#ifndef RT_SCHED_THREAD_STARTM_H
#define RT_SCHED_THREAD_STARTM_H

#include "base/compiler.h"
#include <stdbool.h>
#include <stdint.h>

struct rt_m;
struct rt_p;

/* M without a P, on its scheduler stack: waits as a spare M. True: it has got a P. False:
   it has to end, because the runtime ends or it has been spare for long. */
bool rt_midle_wait(struct rt_m *m);

/* M whose thread has begun without a P: takes a P that wants a thread. False: no P
   does. */
bool rt_midle_begin(struct rt_m *m);

/* M of tuco_run(), on its scheduler stack: hands its P off, if it has one, and waits.
   False: the runtime ends. True: no other thread can be started, and it has got a P. */
bool rt_midle_hold_back(struct rt_m *m);

/* No thread can be started: the M that is held back becomes a spare M. False: there is
   none. */
bool rt_midle_release_held_back(void);

/* Hands p to a spare M and wakes it. No other thread can reach p. spinning: a spinning M
   is counted for it. False: no M is spare. Any thread, and signal handlers. */
bool rt_startm(struct rt_p *p, bool spinning);

/* How many Ms are spare: a hint. */
uint32_t rt_midle_count(void);

/* The caller holds p, which is bound to no M, and has no use for it. p goes to the M of a
   locked goroutine, to a spare or new M if it has work, or to the idle Ps. Any thread, and
   signal handlers. */
void rt_handoffp(struct rt_p *p);

/* The same, but gives p to a spare M even if p has no work, so that p does not wait for a
   new thread. The caller may be sysmon, which has taken p from its M. */
void rt_handoffp_at_once(struct rt_p *p);

/* The caller holds p. True if p has work now that any M could do. */
bool rt_handoffp_has_work(struct rt_p *p);

/* Wakes all spare Ms for the end of the runtime. No M waits here from then on. */
void rt_midle_release_all(void);

/* Before the runtime runs. */
void rt_midle_reset(void);

#endif
