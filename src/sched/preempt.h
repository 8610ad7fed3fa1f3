/* SPDX-License-Identifier: MIT */
/* Asking a goroutine to give way, and making it. */
#ifndef RT_SCHED_PREEMPT_H
#define RT_SCHED_PREEMPT_H

#include "base/compiler.h"
#include "sched/m.h"

/* Installs the signal handler, unless the program does not want it. An error only if the
   process may not handle signals. */
int rt_preempt_start(void) RT_NODISCARD;
void rt_preempt_stop(void);

/* Monitor. The goroutine on m is to give way: it does so at its next call into the
   runtime. Nothing if the thread has ended by now. */
void rt_preempt_ask(struct rt_m *m);

/* Monitor. It has been asked and has not done so: a signal makes it, if it is outside.
   Likewise. */
void rt_preempt_force(struct rt_m *m);

/* Monitor: true if the goroutine of m, which was asked so long ago, can be forced. */
bool rt_preempt_can_force(const struct rt_m *m, int64_t waited_ns);

/* The thread of m: true if its goroutine may be made to give way now. */
bool rt_preempt_may(const struct rt_m *m);

/* It does. */
void rt_preempt_answered(struct rt_m *m);

/* m begins, or has ended: what it is asked for from here on. Whoever had asked it to give
   way has got what he wanted. */
void rt_preempt_reset(struct rt_m *m, uint32_t asked);

#endif
