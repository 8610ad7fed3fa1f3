/* SPDX-License-Identifier: MIT */
/* An asymmetric fence: free for the thread that submits work, expensive for the thread
   that goes to sleep. */
#ifndef RT_BASE_FENCE_H
#define RT_BASE_FENCE_H

/*
 * Problem. A submitter stores a runnable G into a queue, then loads the idle state to see
 * whether it must wake an M. An M that goes to sleep stores its idle state, then loads
 * the queues. Each stores and then loads what the other stores, so both need a full fence
 * in between; without it each may miss the other. The submitter runs this at every spawn,
 * wake-up and yield, where a full fence is a fifth of the whole cost while all Ps are busy.
 * The sleeper runs it before a futex wait that costs a thousand times as much.
 *
 * Solution. The submitter uses a compiler barrier only (rt_fence_light). The sleeper
 * makes the kernel run a full fence on every other running thread of the process
 * (rt_fence_heavy, membarrier). In each of those threads the fence falls either before
 * its load, which then sees the sleeper's store, or after its store, which the sleeper
 * then sees. membarrier interrupts every busy core. So above RT_FENCE_ASYMMETRIC_PROCS
 * processors, and where membarrier is missing, both halves are plain full fences.
 *
 * rt_fence_asymmetric is written once, before any other thread of the runtime exists, and
 * depends on the number of processors at that time. Both settings are correct for any
 * number. Changing it later would be wrong while a submitter is between store and load.
 */
#include "base/atomic.h"
#include "base/compiler.h"
#include "os/os.h"
#include <stdbool.h>

#define RT_FENCE_ASYMMETRIC_PROCS 16

RT_EXTERN bool rt_fence_asymmetric;

/* Whether rt_fence_all_threads() reaches other threads; independent of the number of
   processors. Written with rt_fence_asymmetric. */
RT_EXTERN bool rt_fence_reaches_all;

/* Called when membarrier fails: yields, or ends the process if the kernel now forbids
   it. */
void rt_fence_refused(void);

/* The submitter's half, between its store and its load. Pairs with rt_fence_heavy(). */
static inline void rt_fence_light(void) {
    if (likely(rt_fence_asymmetric)) {
        rt_fence_compiler();
    } else {
        rt_fence_sc();
    }
}

/* The sleeper's half, between its store and its load. Pairs with rt_fence_light(). */
static inline void rt_fence_heavy(void) {
    rt_fence_sc();
    /* Retry: the kernel may be out of memory for a moment, and skipping the fence could
       lose a wake-up. */
    while (rt_fence_asymmetric && os_fence_all_threads() != 0) {
        rt_fence_refused();
    }
}

/* Every thread of the process runs a full fence before this returns, if
   rt_fence_reaches_all; otherwise only the caller does. For rare operations. */
static inline void rt_fence_all_threads(void) {
    rt_fence_sc();
    while (rt_fence_reaches_all && os_fence_all_threads() != 0) {
        rt_fence_refused();
    }
}

/* Sets both flags for a runtime with procs processors. allowed false: plain fences
   only. */
void rt_fence_choose(int procs, bool allowed);

#endif
