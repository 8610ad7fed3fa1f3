/* SPDX-License-Identifier: MIT */
/* A fence in two halves: free for those who submit work, dear for those who go to
   sleep. */
#ifndef RT_BASE_FENCE_H
#define RT_BASE_FENCE_H

/*
 * Problem. Whoever makes a goroutine runnable stores it into a queue and then looks
 * whether somebody has to be woken; whoever goes to sleep announces that and then looks
 * at the queues. Each stores and then loads what the other stored, so each needs a full
 * fence in between or both may miss the other. The submitting side does this at every
 * spawn, wake-up and yield, where a full fence is a fifth of the whole cost; the sleeping
 * side does it before a futex wait that costs a thousand times as much.
 *
 * The way taken. The submitting side keeps only the compiler from reordering
 * (rt_fence_light). The sleeping side makes the kernel run a full fence on every other
 * running thread of the process (rt_fence_heavy, membarrier): for each of those the fence
 * falls either before its load, which then sees the sleeper's announcement, or after its
 * store, which the sleeper then sees. The kernel interrupts each busy core for that, so
 * above RT_FENCE_ASYMMETRIC_PROCS processors, and where membarrier is missing, both
 * halves are plain fences.
 *
 * rt_fence_asymmetric is written once, while no other thread of the runtime exists, for
 * the number of processors at that time. Both ways are right with any number; to change
 * over while the other side is between its store and its load would not be.
 */
#include "base/atomic.h"
#include "base/compiler.h"
#include "os/os.h"
#include <stdbool.h>

#define RT_FENCE_ASYMMETRIC_PROCS 16

extern bool rt_fence_asymmetric;

/* True if rt_fence_all_threads() works, whatever the number of processors. */
extern bool rt_fence_reaches_all;

/* Waits a moment; ends the process if the kernel will not run the fence any more. */
void rt_fence_refused(void);

/* Between the store and the load of the side that must be fast. Pairs with
   rt_fence_heavy. */
static inline void rt_fence_light(void) {
    if (likely(rt_fence_asymmetric)) {
        rt_fence_compiler();
    } else {
        rt_fence_sc();
    }
}

/* Between the store and the load of the side that may be slow. Pairs with
   rt_fence_light. */
static inline void rt_fence_heavy(void) {
    rt_fence_sc();
    /* The kernel may be short of memory for a moment; without the fence a wake-up could
       be lost. */
    while (rt_fence_asymmetric && os_fence_all_threads() != 0) {
        rt_fence_refused();
    }
}

/* Every thread of the process executes a full fence before this returns; for what is done
   seldom. A plain fence of the caller's own if it cannot be had. */
static inline void rt_fence_all_threads(void) {
    rt_fence_sc();
    while (rt_fence_reaches_all && os_fence_all_threads() != 0) {
        rt_fence_refused();
    }
}

/* Chooses the way for a runtime with that many processors; allowed: false forces plain
   fences. */
void rt_fence_choose(int procs, bool allowed);

#endif
