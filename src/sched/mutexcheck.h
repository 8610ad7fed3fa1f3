/* SPDX-License-Identifier: MIT */
/* Finds goroutines that leave their thread with a pthread mutex locked. */
#ifndef RT_SCHED_MUTEXCHECK_H
#define RT_SCHED_MUTEXCHECK_H

/*
 * A goroutine that waits, yields or ends with a pthread mutex locked leaves it to a thread
 * that knows nothing of it: whoever wants the mutex blocks a whole thread meanwhile, and
 * it is then unlocked by another thread than it was locked by, which POSIX does not allow.
 *
 * Who holds a mutex is known to the C library, and only if one asks about that mutex: there
 * is no list. So somebody has to see each call, and a library has no business to step
 * between all programs that use it and their mutexes. That is done by another library,
 * tools/mutexcheck.c, for those who load it; this one asks it, if TUCODEBUG=mutexcheck=1
 * says so, at every switch away from a goroutine. Otherwise a switch costs a load more.
 *
 * Said once for each pair of places, of the wait and of the lock. What was said, or not
 * said again, is struck off the thread's list: it has gone with its goroutine.
 */
#include "base/compiler.h"
#include <stdbool.h>
#include <stdint.h>

struct rt_g;

/* Takes one mutex, and where it was locked, off the list of the calling thread. False:
   there is none. */
typedef bool rt_mutexcheck_fn(const void **mutex, const void **locked_at);

/* NULL: nothing is checked. Immutable while the runtime runs. */
extern rt_mutexcheck_fn *rt_mutexcheck_take;

void rt_mutexcheck_slow(const struct rt_g *g);

/* g is about to leave the thread that it runs on, the caller. */
static inline void rt_mutexcheck(const struct rt_g *g) {
    if (unlikely(rt_mutexcheck_take != NULL)) {
        rt_mutexcheck_slow(g);
    }
}

/* Before the runtime runs. */
void rt_mutexcheck_start(bool wanted);

#endif
