/* SPDX-License-Identifier: MIT */
/* Finds goroutines that leave their thread with a pthread mutex locked. */
#ifndef RT_DEBUG_MUTEXCHECK_H
#define RT_DEBUG_MUTEXCHECK_H

/*
 * If a goroutine waits, yields or ends with a pthread mutex locked, the mutex stays locked
 * by a thread that runs other goroutines. A goroutine that locks it meanwhile blocks its
 * whole thread, and later another thread than the owner may unlock it, which POSIX
 * forbids.
 *
 * The C library knows the owner of each mutex, but has no list of the mutexes of a thread.
 * So every lock and unlock must be intercepted, and this library must not do that to all
 * programs. A second library, tools/mutexcheck.c, does it for programs that preload it.
 * With TUCODEBUG=mutexcheck=1 the runtime queries it at every switch away from a
 * goroutine. Without it a switch costs one more load.
 *
 * Each pair of places, of the wait and of the lock, is reported once. A mutex, reported or
 * not, is removed from the thread's list: it has left with its goroutine.
 */
#include "base/compiler.h"
#include <stdbool.h>
#include <stdint.h>

struct rt_g;

/* Removes one mutex, and the place where it was locked, from the calling thread's list.
   Returns false if the list is empty. */
typedef bool rt_mutexcheck_fn(const void **mutex, const void **locked_at);

/* NULL: no check. Immutable while the runtime runs. */
RT_EXTERN rt_mutexcheck_fn *rt_mutexcheck_take;

void rt_mutexcheck_slow(const struct rt_g *g);

/* Called when g is about to leave the calling thread. */
static inline void rt_mutexcheck(const struct rt_g *g) {
    if (unlikely(rt_mutexcheck_take != NULL)) {
        rt_mutexcheck_slow(g);
    }
}

/* Called before the runtime runs. */
void rt_mutexcheck_start(bool wanted);

#endif
