/* SPDX-License-Identifier: MIT */
/* Preemption: requesting that a goroutine yields, and forcing it by a signal. */
#ifndef RT_SCHED_SYSMON_PREEMPT_H
#define RT_SCHED_SYSMON_PREEMPT_H

#include "base/compiler.h"
#include "sched/m.h"

/* Installs the signal handler, unless asyncpreemptoff=1. Fails only if the process may
   not handle signals. */
int rt_preempt_start(void) RT_NODISCARD;
void rt_preempt_stop(void);

/* The thread of m, before it runs a goroutine: unblocks SIGURG, whatever signal mask the
   thread has inherited. _end restores the mask, after m->number is gone. */
void rt_preempt_thread_begin(struct rt_m *m);
void rt_preempt_thread_end(struct rt_m *m);

/* Sysmon. Requests that the goroutine on m, which ran when rt_p_switches() of its P was
   switches, yields at its next call into the runtime: because its slice is over, or because
   something else is urgent. No effect if the thread has ended. */
void rt_preempt_ask(struct rt_m *m, uint32_t switches, bool slice_over);

/* Sysmon. The request had no effect so far: sends a signal, which stops the goroutine if
   it is outside. cpu_ns: send it only if the thread's CPU time is beyond that; 0: in any
   case. False: not sent, the thread may sleep. No effect if the thread has ended. */
bool rt_preempt_force(struct rt_m *m, int64_t cpu_ns) RT_NODISCARD;

/* Sysmon: true if the goroutine of m can be forced. waited_ns: since the request. */
bool rt_preempt_can_force(const struct rt_m *m, int64_t waited_ns);

/* Sysmon: true if the goroutine of m, whose P was taken, can be forced to wait for one. */
bool rt_preempt_can_recall(const struct rt_m *m);

/* The thread of m: true if its goroutine may be made to yield now. */
bool rt_preempt_may(const struct rt_m *m);

/* The thread of m, after it has seen the request: clears it. True: it is for the goroutine
   that runs, which is to yield. */
bool rt_preempt_take(struct rt_m *m) RT_NODISCARD;

/* The thread of m yields, or the request is void: clears it. */
void rt_preempt_answered(struct rt_m *m);

/* m begins or has ended: asked becomes the value of m->asked, and a pending request to
   yield counts as answered. */
void rt_preempt_reset(struct rt_m *m, uint32_t asked);

#endif
