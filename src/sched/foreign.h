/* SPDX-License-Identifier: MIT */
/* Threads that the runtime did not start: they use every primitive, and block as
   threads. */
#ifndef RT_SCHED_FOREIGN_H
#define RT_SCHED_FOREIGN_H

#include "base/compiler.h"
#include "sched/m.h"

/*
 * A foreign thread that has to wait takes a free goroutine descriptor, puts it where a
 * goroutine would put itself, and sleeps on a futex in it. Descriptors are type-stable,
 * so that a wake-up which comes late finds one.
 *
 * Every public function that can be called by a foreign thread and touches the runtime's
 * memory is between rt_enter() and rt_leave() then. Two counts come out
 * of that:
 *   inside   threads in a call, waiting or not: while there are any, descriptors are not
 *            unmapped
 *   active   those of them that do not wait: each could still wake a goroutine
 *
 * The end of the runtime closes the entry, which those inside need not notice: it waits
 * for the active ones, which takes as long as a call that does not block, and leaves the
 * waiting ones their descriptors.
 */

/* For rt_enter() and rt_leave() in enter.h. */
void rt_foreign_enter_slow(void);
void rt_foreign_leave_slow(void);

/* A descriptor for a foreign thread that may have to wait, which enters with it. */
struct rt_g *rt_foreign_begin(void);
void rt_foreign_end(struct rt_g *g);

/* What rt_park() is for a goroutine. Returns when the thread has been woken, or when it
   has won the claim of this wait at the deadline: see 'Claim' in wait.h. */
void rt_foreign_park(struct rt_g *g, rt_commit_fn *commit, void *arg, uint32_t ticket,
                     int64_t deadline_ns);

/* All three, for a wait that only ends by being woken. */
void rt_foreign_wait(rt_commit_fn *commit, void *arg);

/* The foreign half of rt_ready(). */
void rt_foreign_wake(struct rt_g *g);

/* Around an operation of a foreign thread on a descriptor, in which it may be outside and
   yet have what others wait for. */
void rt_foreign_operate(void);
void rt_foreign_rest(void);

/* True if no foreign thread is in a call that could wake somebody, and none has announced
   that it will be. */
bool rt_foreign_silent(void);

/* Closes the entry, and waits until no foreign thread is active. Calls wait at the entry
   until it is open again. */
void rt_foreign_close(void);
void rt_foreign_open(void);

/* In a child process, which has only the calling thread. */
void rt_foreign_forget_others(void);

/* True if no foreign thread is inside, not even waiting. Entry is closed. */
bool rt_foreign_nobody(void);

#endif
