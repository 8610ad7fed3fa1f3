/* SPDX-License-Identifier: MIT */
/* Waiting and being woken: the only way that a goroutine leaves its thread and comes
   back. */
#ifndef RT_SCHED_PARK_H
#define RT_SCHED_PARK_H

/*
 * Commit. ('Commit')
 *
 * Problem. A goroutine that waits has to publish itself, in a channel's queue say, where
 * a waker on another thread finds it at once. But until the switch is over its registers
 * are not saved: resuming it would run it twice.
 *
 * Rejected. A flag in the goroutine that wakers wait for: a waker then spins while the
 * other thread may be descheduled. A detour over the scheduler's stack, which publishes:
 * two switches for each wait; Go does that.
 *
 * The way taken. The goroutine switches straight to the next one, and the switch itself
 * runs a function on the next one's stack, before the next one goes on:
 * rt_after_switch(), which calls the commit function left in the M. The registers are
 * saved by then. Since nothing of the switching function is left to do afterwards, it
 * ends in arch_switch(), and the goroutine that is resumed returns straight into the
 * program.
 *
 * A commit function is short, does not block, and may find that there is nothing to wait
 * for any more: then it calls rt_ready() on the goroutine, as a waker would.
 */
#include "arch/arch.h"
#include "base/compiler.h"
#include "base/die.h"
#include "sched/find.h"
#include "sched/m.h"
#include "sched/mutexcheck.h"
#include "sched/sanitize.h"
#include "sched/spin.h"

/* Run by arch_switch() on the stack of rt_m_g(m), which is about to go on. */
void rt_after_switch(void *m);

/* Leaves from for to, both on m, and runs after there. To be the last thing that a
   function does. Returns when somebody switches to from, perhaps on another M. errno is
   the goroutine's, although the C library keeps it by thread. */
static inline void rt_switch(struct rt_m *m, struct rt_g *from, struct rt_g *to,
                             arch_then *after) {
    /* relaxed: its own. See 'Depth' in enter.h. */
    rt_assert(rt_load_rlx(&m->inside) == 1);
    if (from != &m->g0) {
        rt_mutexcheck(from);
    }
    from->saved_errno = *m->errno_address;
    rt_m_set_g(m, to);
    rt_san_leave(from, to, false /* it comes back */);
    arch_switch(&from->ctx, &to->ctx, after, m);
}

/* Takes g, which is runnable and off its queue, to where it can be switched to: gives it
   a stack if it has none. False: there is no memory; g has been taken care of. */
bool rt_make_running_slow(struct rt_m *m, struct rt_g *g);

static inline bool rt_make_running(struct rt_m *m, struct rt_g *g) {
    if (unlikely(g->stack == NULL) && !rt_make_running_slow(m, g)) {
        return false;
    }
    rt_gstate_set(g, RT_G_RUNNABLE, RT_G_RUNNING);
    return true;
}

/* What m goes on with when its goroutine stops: the next in the queue, or else the
   scheduler. */
static inline struct rt_g *rt_next_context(struct rt_m *m) {
    struct rt_g *g = rt_find_local(m->p);
    return likely(g != NULL) && rt_make_running(m, g) ? g : &m->g0;
}

/* Parks the goroutine that runs on m, the caller. It is published by commit, and comes
   back when somebody has called rt_ready() on it. pc: where the program called in, for
   reports. To be the last thing that a function does. Foreign threads call
   rt_foreign_wait() instead. */
void rt_park(struct rt_m *m, rt_commit_fn *commit, void *arg, enum rt_wait_reason reason,
             const void *pc);

/* The same for one who has put itself into a queue and holds its lock, which is released
   once the switch is made. */
void rt_park_unlock(struct rt_m *m, struct rt_spin *lock, enum rt_wait_reason reason,
                    const void *pc);

/* Makes g run again, next on the caller's P if it has one. The caller took g off the
   queue that it waited in, and must not touch it afterwards. Any thread. */
void rt_ready(struct rt_g *g);

/* The same for many, linked by slot.next, the one that waited longest last. It is the
   first to run. */
void rt_ready_list(struct rt_g *list);

/* The same for a list in the order in which they are to run, which is empty afterwards: on p
   if it is the caller's, NULL: for everybody. keeps: p comes to them so soon that nobody need
   be woken. */
void rt_ready_in_order(struct rt_p *p, struct rt_glist *list, bool keeps);

/* The same behind what is in the ring of p, the caller's. */
void rt_ready_behind(struct rt_p *p, struct rt_glist *list, bool keeps);

/* The same for a thread without a P: they come before all others, and Ps are asked to look
   for them at their next scheduling. */
void rt_ready_urgent(struct rt_glist *list);

/* The goroutine that runs on m, the caller, gives way because it was asked to. Returns when
   its turn has come again, perhaps on another M. */
void rt_yield_asked(struct rt_m *m);

/* The same for one on an M without a P, and counted as away: from then on it is not. */
void rt_yield_without_p(struct rt_m *m);

/* tuco_yield() for who is inside of the runtime already, in an outermost bracket or not. */
void rt_yield_inside(void);

/* Owner of p. Appends to the ring, or makes room by moving half of it to the global
   queue. */
void rt_queue_put(struct rt_p *p, struct rt_g *g);

/* Owner of p. Makes g the next to run, and tells the idle if there is something in it for
   them. */
void rt_queue_next(struct rt_p *p, struct rt_g *g);

#endif
