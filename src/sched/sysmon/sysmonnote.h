/* SPDX-License-Identifier: MIT */
/* What sysmon sleeps on, and how other threads wake it. The protocols are in sysmon.c. */
#ifndef RT_SCHED_SYSMON_SYSMONNOTE_H
#define RT_SCHED_SYSMON_SYSMONNOTE_H

#include "base/atomic.h"
#include "base/compiler.h"
#include <stdbool.h>
#include <stdint.h>

/* Atomic. Sysmon writes sleeps_until and polls, and clears helping. */
RT_EXTERN struct rt_sysmonnote {
    rt_atomic(uint32_t) sequence; /* a futex: each wake-up of sysmon changes it */
    rt_atomic(uint32_t) helping;  /* 1 from a request for stacks until enough are made */
    rt_atomic(int64_t) sleeps_until; /* see 'Wake before' in sysmon.c */
    rt_atomic(bool) polls; /* it sleeps in the poller: see 'Polling' in sysmon.c */
} rt_sysmonnote;

/* Atomic: not 0 while sysmon is dormant, see 'Dormant' in sysmon.c. */
RT_EXTERN rt_atomic(uint32_t) rt_sysmon_dormant;

/* How sysmon sleeps while it is not dormant. */
enum {
    /* for longer than an announced call should keep its P, and without looking for these */
    RT_SYSMON_IGNORES_CALLS = 1,
    /* for longer than a goroutine should lie in a runnext beside an idle P */
    RT_SYSMON_LONG = 2,
};

/* Atomic: bits of the above. The thread that wakes sysmon because of one clears all. */
RT_EXTERN rt_atomic(uint32_t) rt_sysmon_drowsy;

void rt_sysmon_wake(void);

/* Call after an M has got a P or has left the poller without one, after a foreign thread
   has begun to wait for a descriptor, or after a failure that sysmon has to retry: wakes
   sysmon if it is dormant. */
static inline void rt_sysmon_poke(void) {
    /* fence(sc): the idle word before dormant. Pairs with the fence in
       sleep_dormant(). */
    rt_fence_sc();
    /* relaxed: ordered by the fence */
    if (unlikely(rt_load_rlx(&rt_sysmon_dormant) != 0)) {
        rt_sysmon_wake();
    }
}

/* Call after an M has counted its P idle, or the resizer a new one: wakes sysmon if it
   sleeps long because all Ps were busy. */
static inline void rt_sysmon_poke_long(void) {
    /* fence(sc): the idle word before drowsy. Pairs with the fence in sleep_awake(). */
    rt_fence_sc();
    /* relaxed, both: ordered by the fence; one wake-up is enough */
    if (unlikely((rt_load_rlx(&rt_sysmon_drowsy) & RT_SYSMON_LONG) != 0)) {
        rt_store_rlx(&rt_sysmon_drowsy, 0);
        rt_sysmon_wake();
    }
}

/* The first timer of threads without a P is now due at when_ns: wakes sysmon if it would
   sleep longer. */
void rt_sysmon_wake_before(int64_t when_ns);

/* Requests stacks to be made ahead: rt_stack_help(). */
void rt_sysmon_help(void);

#endif
