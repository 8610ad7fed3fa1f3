/* SPDX-License-Identifier: MIT */
/* Parking and readying: the only way that a goroutine leaves its thread and comes back; and
   which queue a runnable one goes to. */
#ifndef RT_SCHED_PARK_H
#define RT_SCHED_PARK_H

/*
 * Commit. ('Commit')
 *
 * Problem. A goroutine that waits must publish itself, for example in a channel's queue,
 * where a waker on another thread may find it at once. But its registers are not saved
 * until the switch is over: a waker that resumed it earlier would run it twice.
 *
 * Rejected. A flag in the goroutine for which wakers wait: a waker then spins while the
 * waiter's thread may be descheduled. A detour over the scheduler's stack, which publishes
 * the waiter, as Go does: two switches per wait.
 *
 * The way taken. The goroutine switches directly to the next one. The switch itself calls
 * rt_after_switch() on the next goroutine's stack before that goroutine continues;
 * rt_after_switch() calls the commit function stored in the M, which publishes the waiter.
 * By then the waiter's registers are saved. The switching function has nothing left to do
 * after the switch, so it ends in arch_switch(), and a resumed goroutine returns directly
 * into the program.
 *
 * A commit function is short and does not block. If it finds that there is nothing left to
 * wait for, it calls rt_ready() on the goroutine, as a waker would.
 *
 * Place. ('Place') Each public call that may wait passes its return address down to the
 * wait, as pc. Each wake-up reads it, see 'Habits' in park.c; so do dumps and mutexcheck.
 * Rejected. Unwinding the parked stack: a wake-up has no time for that, and the frames
 * above the call belong to code that may have neither frame pointers nor unwind tables.
 */
#include "arch/arch.h"
#include "base/compiler.h"
#include "base/die.h"
#include "sched/findlocal.h"
#include "sched/globq.h"
#include "sched/m.h"
#include "sched/runq.h"
#include "sched/thread/wakep.h"
#include "debug/mutexcheck.h"
#include "debug/sanitize.h"
#include "sched/spin.h"

/* Called by arch_switch() on the stack of rt_m_g(m), which continues afterwards. */
void rt_after_switch(void *m);

/* True if every switch has extra work: to check for held mutexes, or to move the C++
   exception state. Immutable while the runtime runs. */
RT_EXTERN bool rt_switch_watched;

/* Returns the stack_low of a context whose frames may use no address below low. If switches
   have extra work, it is the highest address, which every frame is below: so the comparison
   in switch_context() that detects an overflow detects the extra work too. */
static inline char *rt_switch_low(char *low) {
    return unlikely(rt_switch_watched) ? (char *)UINTPTR_MAX : low;
}

/* Prepares g, which is runnable and off its queue, to be switched to: gives it a stack if
   it has none. Returns false if there is no memory; g then waits for it in starved.c. */
bool rt_make_running_slow(struct rt_m *m, struct rt_g *g);

static inline bool rt_make_running(struct rt_m *m, struct rt_g *g) {
    if (unlikely(g->stack == NULL) && !rt_make_running_slow(m, g)) {
        return false;
    }
    rt_gstatus_set(g, RT_G_RUNNABLE, RT_G_RUNNING);
    return true;
}

/* m runs g, which is runnable and off its queue, from g0 until a goroutine of m switches
   back to g0. Does nothing if there is no memory for a stack. */
void rt_execute(struct rt_m *m, struct rt_g *g);

/* Parks the goroutine that runs on m, the caller. commit publishes it to its wakers; it
   resumes after a waker has called rt_ready() on it, perhaps on another M: the caller
   must not use m afterwards. pc is where the program called the runtime, for reports.
   Foreign threads call rt_foreign_park() instead. */
void rt_park(struct rt_m *m, rt_commit_fn *commit, void *arg, enum rt_wait_reason reason,
             const void *pc);

/* As rt_park(), for a waiter that is in a wait queue and holds the queue's lock, which is
   released after the switch. */
void rt_park_unlock(struct rt_m *m, struct rt_spin *lock, enum rt_wait_reason reason,
                    const void *pc);

/* Makes a parked g runnable: usually next on the caller's P, see 'Habits' in park.c; in
   the global queue if the caller has none. The caller has taken g off its wait queue and
   must not touch g afterwards. Any thread. */
void rt_ready(struct rt_g *g);

/* As rt_ready() for a list linked by slot.next in LIFO order: the last one has waited
   longest and runs first. */
void rt_ready_list(struct rt_g *list);

/* As rt_ready() for a list in the order in which the goroutines should run; empties the
   list. p: the caller's P, or NULL to use the global queue. keeps: p runs them so soon that
   no other M need be woken. */
void rt_ready_in_order(struct rt_p *p, struct rt_glist *list, bool keeps);

/* As rt_ready_in_order(), behind what is in the ring of p, the caller's P. */
void rt_ready_behind(struct rt_p *p, struct rt_glist *list, bool keeps);

/* As rt_ready_in_order(), for a caller without a P or with a full ring: puts them ahead of
   all others in the global queue and requests that every P look there at its next
   scheduling. */
void rt_ready_urgent(struct rt_glist *list);

/* The goroutine that runs on m, the caller, yields because another thread requested it.
   Returns when it runs again, perhaps on another M. */
void rt_yield_asked(struct rt_m *m);

/* The same for a detached goroutine on an M without a P. Attaches it. */
void rt_yield_without_p(struct rt_m *m);

/* tuco_yield() for a caller that is already inside the runtime, at any depth. */
void rt_yield_inside(void);

/* Queueing: puts a runnable G where it belongs, and wakes an M if that is needed. The
   frequent ways are inlined; what they seldom need is in park.c and not inlined, so that
   rt_ready() needs no frame. */

/* Owner of p. Appends g to the ring. If the ring is full, moves half of it to the global
   queue. Wakes no M. */
void rt_queue_put(struct rt_p *p, struct rt_g *g);

/* Any thread. Appends g to the global queue. */
RT_NOINLINE void rt_queue_global(struct rt_g *g);

/* Any thread. Appends g, which yielded, to the global queue, behind all others. */
RT_NOINLINE void rt_queue_yielded_global(struct rt_g *g);

/* For rt_queue_runnext(). kicked was in runnext. */
RT_NOINLINE void rt_queue_kicked(struct rt_p *p, struct rt_g *kicked);

/* For rt_queue_woken(). A P is idle; and the waker is not known to stop soon, or its last
   wake-up is still measured. */
RT_NOINLINE void rt_queue_measured(struct rt_m *m, struct rt_g *g, const void *pc);

/* For rt_stop_waker(). */
RT_NOINLINE void rt_judge_waker(struct rt_m *m, int64_t woke_ns);

/* The goroutine that runs on m stops. If its last wake-up is measured, that ends here. */
static RT_INLINE void rt_stop_waker(struct rt_m *m) {
    int64_t woke_ns = rt_load_rlx(&m->p->woke_ns); /* relaxed: as in rt_judge_waker() */
    if (unlikely(woke_ns != 0)) {
        rt_judge_waker(m, woke_ns);
    }
}

/* Of the place where a waker finds the goroutine that it wakes. Not 0. */
static RT_INLINE uint8_t rt_habit_key(const void *pc) {
    return (uint8_t)((uintptr_t)pc ^ (uintptr_t)pc >> 7) | 1;
}

/* Owner of p. Puts g into runnext. If that kicks out another G, wakes an M for it. */
static RT_INLINE void rt_queue_runnext(struct rt_p *p, struct rt_g *g) {
    struct rt_g *kicked = rt_runq_put_runnext(&p->runq, g);
    if (unlikely(kicked != NULL)) {
        rt_queue_kicked(p, kicked);
    }
}

/* The goroutine that runs on m has woken g, which waited at pc, or spawned it there. Puts g
   into runnext; if the waker is known to go on, into the ring for an idle P. See 'Habits'
   in park.c. */
static RT_INLINE void rt_queue_woken(struct rt_m *m, struct rt_g *g, const void *pc) {
    struct rt_p *p = m->p;
    if (unlikely(rt_pidle_has_room(rt_load_rlx(&rt_pidle.word)))) { /* relaxed: a hint */
        const struct rt_g *waker = rt_m_g(m);
        /* relaxed, both: a number, and as in rt_judge_waker() */
        if (waker->habit_key != rt_habit_key(pc) ||
            waker->habit.stops_in != rt_load_rlx(&p->habit_period) ||
            unlikely(rt_load_rlx(&p->woke_ns) != 0)) {
            rt_queue_measured(m, g, pc);
            return;
        }
        p->woke_place = NULL;
    }
    rt_queue_runnext(p, g);
}

/* Owner of p. Queues g, which yielded or used up its slice, behind all others, and wakes an
   M if a P is idle. If goroutines that yielded are in the global queue, g queues behind
   them there. */
static RT_INLINE void rt_queue_yielded(struct rt_p *p, struct rt_g *g) {
    if (unlikely(rt_globq_yielded() > 0) || unlikely(!rt_runq_put(&p->yieldq, g))) {
        rt_queue_yielded_global(g);
    } else {
        rt_wakep(1);
    }
}

#endif
