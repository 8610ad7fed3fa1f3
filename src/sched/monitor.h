/* SPDX-License-Identifier: MIT */
/* The monitor: a thread without a P that sees to what nobody else comes to. */
#ifndef RT_SCHED_MONITOR_H
#define RT_SCHED_MONITOR_H

#include "base/atomic.h"
#include "base/compiler.h"

int rt_monitor_start(void) RT_NODISCARD;

/* Asks it to end, and waits for that. */
void rt_monitor_stop(void);

void rt_monitor_wake(void);

/* Its first timer is due at that time now: wakes it if it would sleep longer. */
void rt_monitor_wake_before(int64_t when_ns);

/* Asks it to make stacks ahead: rt_stack_help(). */
void rt_monitor_help(void);

/* Atomic: not 0 while the monitor sleeps without a deadline. */
extern rt_atomic(uint32_t) rt_monitor_dormant;

/* Atomic: not 0 while it sleeps for longer than a call that blocks should keep a P. A
   hint. */
extern rt_atomic(uint32_t) rt_monitor_drowsy;

/* An M has got something to do after all Ps may have been idle. Pairs with the monitor's
   going to sleep: see monitor.c. */
static inline void rt_monitor_poke(void) {
    /* fence(sc): the idle word before dormant. Pairs with sleep_dormant(). */
    rt_fence_sc();
    /* relaxed: ordered by the fence */
    if (unlikely(rt_load_rlx(&rt_monitor_dormant) != 0)) {
        rt_monitor_wake();
    }
}

#endif
