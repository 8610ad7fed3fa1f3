/* SPDX-License-Identifier: MIT */
/* newmHandoff: what the starter is asked for. The starter itself is in newm.c. */
#ifndef RT_SCHED_THREAD_NEWMHANDOFF_H
#define RT_SCHED_THREAD_NEWMHANDOFF_H

#include "base/atomic.h"
#include "base/compiler.h"
#include "sched/tuning.h"
#include <stdbool.h>
#include <stdint.h>

struct rt_lack;

/* Bits of spare_wanted. */
#define RT_SPARE_WANTED 1u
#define RT_SPARE_NEEDED 2u /* a thread has long slept with a P that goroutines wait for */

/* Atomic. */
RT_EXTERN struct rt_newmhandoff {
    rt_atomic(uint32_t) sequence; /* a futex: each request changes it */
    rt_atomic(uint32_t) spare_wanted;
    rt_atomic(uint32_t) on_the_way; /* started threads that have not taken a P yet */
    /* when the kernel last refused a thread; 0: the last one was started */
    rt_atomic(int64_t) refused_ns;
} rt_newmhandoff;

/* Wakes the starter: a P wants a thread, see rt_pidle_take_wanted(). Any thread, and
   signal handlers. */
void rt_newm_wake(void);

/* Requests a spare M, if there is none. needed: a thread has long slept in the kernel
   with a P that goroutines wait for; if there are max_threads then, rt_thread_exhausted()
   ends the process. If the kernel refuses a thread, the caller has to request again. */
void rt_newm_want_spare(bool needed);

/* A thread that the starter started has begun, and has taken a P if one wanted it. */
void rt_newm_arrived(void);

/* True if the kernel has refused a thread after since_ns, and none was started since. */
bool rt_newm_was_refused(int64_t since_ns);

/* Call at each look that finds something missing. True: all looks have for
   RT_STUCK_NS. */
bool rt_lack_lasts(struct rt_lack *lack);

/* Whether to report a lack: true if it has not been reported for a minute. *reported_ns is
   when it was reported last, 0: never; sets it. */
bool rt_lack_is_due(int64_t *reported_ns);

#endif
