/* SPDX-License-Identifier: MIT */
/* Goroutines that only one certain M may run. */
#ifndef RT_SCHED_BOUND_H
#define RT_SCHED_BOUND_H

/*
 * Bound. ('Bound') A goroutine is bound to its M if it called tuco_lock_thread(), or if a
 * signal has stopped it in the middle of the program's code: then its registers, the
 * thread-local variables that it is about to touch and the locks of the C library that it
 * may hold are the thread's, and the thread waits in the signal handler.
 *
 * A bound goroutine that is runnable is in no run queue but in a list of its own. Whoever
 * takes it from there does not run it, but gives its P to the goroutine's M, wakes that,
 * and is a spare M then. An M whose goroutine parks gives its P away and waits for one to
 * come with its goroutine.
 *
 * The lock decides between the two ends. An M says under it that it waits, after it has
 * looked whether its goroutine is in the list by now; a goroutine is taken off the list
 * only if its M waits.
 */
#include "base/atomic.h"
#include "base/compiler.h"
#include <stdbool.h>
#include <stdint.h>

struct rt_g;
struct rt_m;
struct rt_p;

extern struct rt_bound_length {
    rt_atomic(uint32_t) count;
} rt_bound_shared RT_CACHE_ALIGNED;

/* How many are in the list. As rt_globq_length(). */
static inline uint32_t rt_bound_length(void) {
    /* acquire: pairs with the release when one is put there. */
    return rt_load_acq(&rt_bound_shared.count);
}

/* g is bound and runnable, and in no queue: it gets an idle P at once, or waits in the
   list; the idle are told. Any thread. */
void rt_bound_ready(struct rt_g *g);

/* Owner of p. Goroutines in the list wait no longer than others, and no less either: the
   next of them has its turn when as many slices have begun as there were goroutines in line
   for p when the last one had its turn, or stepped aside. */
bool rt_bound_have_turn(const struct rt_p *p);
void rt_bound_set_turn(struct rt_p *p);

/* One of the first in the list gets p, which is in the caller's hands. False: there is
   none. */
bool rt_bound_resume_first(struct rt_p *p);

/* M, on its scheduler stack, when its goroutine, to which it is wired, has parked or
   yielded. Gives the P away. True: it has a P again, with which it runs m->to_run. False:
   the runtime ends. */
bool rt_bound_wait(struct rt_m *m);

/* M without a P: sleeps until the runtime ends. */
void rt_bound_wait_for_end(struct rt_m *m);

/* The goroutine that runs on m, outside of the runtime until a moment ago, waits for its
   turn. Returns with a P, on the same thread. In a signal handler. */
void rt_bound_step_aside(struct rt_m *m);

/* How many goroutines wait in signal handlers, and how many more may; below 0: one has to
   go on first, since another has stepped aside in exchange for it. */
uint32_t rt_bound_stepped_aside(void);
int rt_bound_room(void);

/* The process ends with a report, for which it may need locks of the C library: those whom
   signals have stopped go on without a P, and nobody is stopped any more. Nothing if the
   caller holds the lock. */
void rt_bound_let_go(void);

/* Wakes all Ms that wait, for the end of the runtime. */
void rt_bound_release_all(void);

/* Before the runtime runs. */
void rt_bound_reset(void);

#endif
