/* SPDX-License-Identifier: MIT */
/* Foreign threads, which the runtime did not start: they use every primitive, and block
   as threads. */
#ifndef RT_SCHED_THREAD_FOREIGN_H
#define RT_SCHED_THREAD_FOREIGN_H

#include "base/compiler.h"
#include "sched/m.h"

/*
 * A foreign thread that has to wait borrows a free goroutine descriptor as its proxy, puts
 * it where a goroutine would put itself, and sleeps on a futex in it. Descriptors are
 * type-stable, so a late wake-up still meets a descriptor.
 *
 * Every public function that a foreign thread can call and that touches the runtime's
 * memory is between rt_enter() and rt_leave(). They keep two counts:
 *   inside   threads in a call, waiting or not: while there are any, descriptors are not
 *            unmapped
 *   active   those of them that do not wait: each could still wake a goroutine
 *
 * The end of the runtime closes the entry to new calls. It waits for the active threads,
 * which takes as long as a call that does not block, and leaves the waiting ones their
 * descriptors.
 */

/* Enters, and borrows a descriptor for a foreign thread that may have to wait. _end
   returns it and leaves. */
struct rt_g *rt_foreign_begin(void);
void rt_foreign_end(struct rt_g *g);

/* The counterpart of rt_park(). Returns when the thread has been woken, or when it has
   won the claim of this wait at the deadline: see 'Claim' in claim.h. */
void rt_foreign_park(struct rt_g *g, rt_commit_fn *commit, void *arg, uint32_t ticket,
                     int64_t deadline_ns);

/* rt_foreign_begin(), _park() and _end(), for a wait without a deadline. */
void rt_foreign_wait(rt_commit_fn *commit, void *arg);

/* rt_ready() for the proxy of a foreign thread. */
void rt_foreign_wake(struct rt_g *g);

/* Around an operation of a foreign thread on a descriptor. It may be outside in between,
   and yet have what goroutines wait for, so it holds back the report of a deadlock. */
void rt_foreign_operate(void);
void rt_foreign_rest(void);

/* Between the two calls, a thread that the runtime does not know will wake a goroutine:
   holds back the report of a deadlock. Any thread. */
void rt_foreign_expect(void);
void rt_foreign_expect_no_more(void);

/* How many foreign threads wait in calls. If rt_foreign_silent() is true afterwards, none
   of them has been woken. */
uint32_t rt_foreign_waiting(void);

/* True if no foreign thread is in a call that could wake a goroutine, and none has
   announced one. */
bool rt_foreign_silent(void);

/* Closes the entry, and waits until no foreign thread is active. Calls wait at the entry
   until it is open again. */
void rt_foreign_close(void);
void rt_foreign_open(void);

/* In a child process, whose only thread is the caller. */
void rt_foreign_forget_others(void);

/* True if no foreign thread is inside, not even waiting. The entry is closed. */
bool rt_foreign_none_inside(void);

#endif
