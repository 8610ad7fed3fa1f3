/* SPDX-License-Identifier: MIT */
/* Goroutines that only one certain M may run. */
#ifndef RT_SCHED_THREAD_LOCKEDM_H
#define RT_SCHED_THREAD_LOCKEDM_H

/*
 * Locked. ('Locked') A goroutine is locked to its M if it has called tuco_lock_thread(), or
 * if a signal has stopped it in the program's code. In the second case its registers, the
 * thread-local variables that it is about to touch and the C library locks that it may
 * hold belong to the thread, which waits in the signal handler.
 *
 * A runnable locked goroutine is in no run queue but in a list of its own, the locked list.
 * An M that takes it from there does not run it. It gives its P to the goroutine's M,
 * wakes that M, and is a spare M then. An M whose locked goroutine parks gives its P away
 * and waits until it gets one together with the goroutine.
 *
 * The lock orders the two sides. The M sets waits_lockedm under it, after it has checked
 * whether its goroutine is in the list by now. Other threads take a goroutine off the list
 * only if waits_lockedm of its M is set.
 */
#include "base/atomic.h"
#include "base/compiler.h"
#include <stdbool.h>
#include <stdint.h>

struct rt_g;
struct rt_m;
struct rt_p;

/* Atomic: written under the lock in lockedm.c. */
RT_EXTERN struct rt_lockedm_length {
    rt_atomic(uint32_t) count;
} rt_lockedm_shared RT_CACHE_ALIGNED;

/* How many goroutines are in the locked list. Exact in the cases of rt_globq_length(),
   else a hint. */
static inline uint32_t rt_lockedm_length(void) {
    /* acquire: the list. Pairs with the release in lockedms_count_locked(). */
    return rt_load_acq(&rt_lockedm_shared.count);
}

/* g is locked, runnable and in no queue. Its M gets an idle P at once. Otherwise g goes to
   the list, and busy Ps are asked to look there at their next scheduling: the caller's, or
   all if the caller has none. Any thread. */
void rt_lockedm_ready(struct rt_g *g);

/* Owner of p. When p serves the list, or the first goroutine that is stopped on p goes into
   it, p counts the goroutines that are queued for p. The list has its next turn when p has
   begun as many slices and one more. rt_lockedm_slices_left() returns how many of these
   have not begun yet; rt_lockedm_have_turn(), whether none is left and the list is not
   empty. */
bool rt_lockedm_have_turn(const struct rt_p *p);
uint32_t rt_lockedm_slices_left(const struct rt_p *p);

/* The caller holds p, and hands it to one of the first goroutines in the list, which ends
   the list's turn. False: there is none. */
bool rt_lockedm_resume_first(struct rt_p *p);

/* M, on its scheduler stack: its goroutine, which is locked to it, has parked or yielded.
   Hands the P off and waits, unless its goroutine is runnable again and no other work is.
   True: it has a P again, and runs m->to_run. False: the runtime ends. */
bool rt_lockedm_wait(struct rt_m *m);

/* Called in a signal handler. The goroutine on m gives its P away and waits for its turn.
   Returns on the same thread, with a P; without one if the runtime or the process ends.
   yields: the signal met it in sched_yield(), see 'Spin locks' in lockedm.c. */
void rt_lockedm_step_aside(struct rt_m *m, bool yields);

/* The same for a goroutine that computes although sysmon has taken its P: it waits for its
   turn to get one. */
void rt_lockedm_recall(struct rt_m *m, bool yields);

/* How many goroutines wait in signal handlers, and how many more preemptmax allows: below 0
   if more wait than that, see 'Too many stopped' in lockedm.c. */
uint32_t rt_lockedm_stepped_aside(void);
int rt_lockedm_room(void);

/* The process ends with a report, which may need C library locks. Goroutines that signals
   have stopped go on without a P, and no other is stopped. No effect if the lock cannot
   be had, because the caller may hold it. */
void rt_lockedm_let_go(void);

/* Wakes all Ms that wait, for the end of the runtime. */
void rt_lockedm_release_all(void);

/* Before the runtime runs. */
void rt_lockedm_reset(void);

#endif
