/* SPDX-License-Identifier: MIT */
/* The next goroutine from the P's own queues, and the looks in between. */
#ifndef RT_SCHED_FINDLOCAL_H
#define RT_SCHED_FINDLOCAL_H

#include "base/compiler.h"
#include "sched/globq.h"
#include "sched/runq.h"

struct rt_g;

/* Owner of p, between two goroutines from runnext, at least every 61st time. Reads the
   clock and sets p's attention if the scheduler has something to do. */
void rt_findrunnable_look(struct rt_p *p);

/* Owner of p, between two slices, at least every 61st time. The same. Every 61st time it
   also returns a G from the global queue or yieldq, if there is one. */
struct rt_g *rt_findrunnable_between(struct rt_p *p);

/* Owner of p, before a G from yieldq, at least every 61st time. These may run much longer
   than others and are counted separately. The same; every 61st time it also returns a G of
   another P that has more. */
struct rt_g *rt_findrunnable_between_yielded(struct rt_p *p);

/* Owner. Makes the next look come at the turn of the locked goroutines, if any. */
void rt_findrunnable_look_at_turn(struct rt_p *p);

/* Owner. Takes a G that yielded, from p's yieldq or the global queue. */
struct rt_g *rt_findrunnable_yielded(struct rt_p *p);

/* Owner. g, if there is one, begins a slice. */
static inline struct rt_g *rt_findrunnable_count_slice(struct rt_p *p, struct rt_g *g) {
    if (g != NULL) {
        rt_p_count(&p->schedtick);
    }
    return g;
}

/* Owner. g, if there is one, goes before the G in runnext, if there is one. The slice under
   way goes on after g: a new one for each g would let goroutines that wake each other
   through runnext run for ever. */
static inline struct rt_g *rt_findrunnable_count_urgent(struct rt_p *p, struct rt_g *g) {
    bool goes_on = rt_load_rlx(&p->runq.runnext) != NULL; /* relaxed: the owner's own */
    if (g != NULL && goes_on) {
        rt_p_count(&p->nexttick);
        return g;
    }
    return rt_findrunnable_count_slice(p, g);
}

/* The part of rt_findrunnable_local() that begins a slice: takes the next G from q, one of
   p's rings, after a look if one is due. */
static RT_INLINE struct rt_g *rt_findrunnable_pop(
    struct rt_p *p, struct rt_runq *q, struct rt_look *look,
    struct rt_g *(*between)(struct rt_p *)) {
    struct rt_g *g;
    if (unlikely(--look->countdown == 0)) {
        g = between(p);
        /* relaxed: the call above may have set it, on this thread */
        if (g != NULL || rt_load_rlx(&p->attention) != 0) {
            return g;
        }
    }
    if ((g = rt_runq_pop(q)) != NULL) {
        rt_p_count(&p->schedtick);
    }
    return g;
}

/*
 * Owner of p. Takes the next G from p's own queues, without searching. Returns NULL if they
 * are empty or the scheduler has something to do. The caller runs the G.
 *
 * A G from runnext inherits the slice of the G that put it there, so two goroutines that
 * wake each other for ever count as one that runs for ever. When sysmon finds that p has
 * begun no new slice for the length of one, the G in runnext goes behind all others: see
 * end_slice() in findrunnable.c.
 *
 * Goroutines that yielded come last: the scheduler takes what is in the global queue before
 * it runs one of them.
 */
static RT_INLINE struct rt_g *rt_findrunnable_local(struct rt_p *p) {
    struct rt_g *g;
    /* relaxed: a late request is seen at the next scheduling */
    if (unlikely(rt_load_rlx(&p->attention) != 0)) {
        return NULL;
    }
    if ((g = rt_runq_pop_runnext(&p->runq)) != NULL) {
        rt_p_count(&p->nexttick);
        if (unlikely(--p->next_countdown == 0)) {
            rt_findrunnable_look(p);
        }
        return g;
    }
    if (rt_runq_ring_has_any(&p->runq) || rt_globq_ahead() != 0) {
        return rt_findrunnable_pop(p, &p->runq, &p->look, rt_findrunnable_between);
    }
    return rt_findrunnable_pop(p, &p->yieldq, &p->yielded_look,
                               rt_findrunnable_between_yielded);
}

#endif
