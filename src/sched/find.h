/* SPDX-License-Identifier: MIT */
/* Where the next goroutine comes from. */
#ifndef RT_SCHED_FIND_H
#define RT_SCHED_FIND_H

#include "base/compiler.h"
#include "sched/bound.h"
#include "sched/globq.h"
#include "sched/p.h"

struct rt_g;
struct rt_m;

/* Owner of p, every 61st time: one from the global queue, or NULL. */
struct rt_g *rt_find_global_first(struct rt_p *p);

/* Owner of p, when it is asked to leave the usual way: see enum rt_attention. */
struct rt_g *rt_find_attentive(struct rt_p *p);

/*
 * Owner of p. The next goroutine from p's own queue, without searching; NULL: none, or
 * the owner is wanted in the scheduler. The caller runs it.
 *
 * A goroutine from the next slot runs on the slice of the one that put it there, so that
 * two which wake each other for ever count as one that runs for ever: when the monitor
 * finds that a P has begun no slice for the length of one, the ring has its turn.
 */
static RT_INLINE struct rt_g *rt_find_local(struct rt_p *p) {
    struct rt_g *g;
    /* relaxed: seeing a request a scheduling later does no harm. */
    if (unlikely(rt_load_rlx(&p->attention) != 0)) {
        return rt_find_attentive(p);
    }
    if (unlikely(--p->global_countdown == 0) && (g = rt_find_global_first(p)) != NULL) {
        return g;
    }
    if ((g = rt_runq_pop_next(&p->runq)) != NULL) {
        rt_p_count(&p->nexttick);
        return g;
    }
    if ((g = rt_runq_pop(&p->runq)) != NULL) {
        rt_p_count(&p->schedtick);
    }
    return g;
}

/* M, on its scheduler stack, with a P. Searches everywhere, sleeps if there is nothing,
   and returns a goroutine to run; NULL: the runtime ends. */
struct rt_g *rt_find(struct rt_m *m);

/* Whether anybody waits where rt_find() would find him for p: there, or where every P
   looks. A hint if p may be another's by now. */
static inline bool rt_find_others_wait(const struct rt_p *p) {
    return rt_runq_has_any(&p->runq) || rt_globq_length() > 0 || rt_bound_length() > 0;
}

/* Monitor: fires its own timers that are due. */
void rt_find_monitor_timers(int64_t now_ns);

/* How many goroutines lie in rings and the global queue, but not more than enough. Next
   slots do not count: see 'Who is not woken for' in idle.c. */
uint32_t rt_find_pending(uint32_t enough);

/* The same without those that their Ps keep: see rt_runq_keep(). For who decides whether
   somebody is to be woken. */
uint32_t rt_find_surplus(uint32_t enough);

#endif
