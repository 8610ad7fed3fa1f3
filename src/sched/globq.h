/* SPDX-License-Identifier: MIT */
/* The global run queue: what does not fit into a ring, and what comes from threads
   without a P. */
#ifndef RT_SCHED_GLOBQ_H
#define RT_SCHED_GLOBQ_H

#include "base/atomic.h"
#include "base/compiler.h"
#include <stdbool.h>

struct rt_g;
struct rt_p;

/* Goroutines linked by slot.next, in order. */
struct rt_glist {
    struct rt_g *first;
    struct rt_g *last;
    uint32_t count;
};

void rt_glist_append(struct rt_glist *list, struct rt_g *g);
struct rt_g *rt_glist_pop(struct rt_glist *list);

/* Read without the lock by rt_globq_length(); alone on its line, because every scheduling
   does. */
extern struct rt_globq_length {
    rt_atomic(uint32_t) count;
    rt_atomic(uint32_t) urgent; /* of these */
} rt_globq_shared RT_CACHE_ALIGNED;

/* How many wait in it: a hint, but see 'Lost wake-up' in idle.c for when it is more. */
static inline uint32_t rt_globq_length(void) {
    /* acquire: what has left the queue is seen in the ring that it went to. Pairs with
       publish_and_unlock(). */
    return rt_load_acq(&rt_globq_shared.count);
}

/* How many have been put in by rt_globq_put_urgent(): a hint. */
static inline uint32_t rt_globq_urgent(void) {
    return rt_load_rlx(&rt_globq_shared.urgent); /* relaxed: a hint */
}

/* Appends. The caller then tells the idle: rt_idle_notify(). */
void rt_globq_put(struct rt_g *g);
void rt_globq_put_list(struct rt_glist *list);
/* The same for those that come before all others. */
void rt_globq_put_urgent(struct rt_glist *list);
void rt_globq_put_array(struct rt_g *const *gs, uint32_t count);

/* An urgent one; else one of those that came one by one and have waited longest, or of those that overflowed;
   NULL: there is none. */
struct rt_g *rt_globq_take_one(void);

/* The same; and a fair share of the rest, at most half a ring, goes to p's ring, which is
   empty. */
struct rt_g *rt_globq_take_batch(struct rt_p *p, uint32_t procs);

/* An urgent one, and as many others as p's ring has room for go there; NULL: there is none. */
struct rt_g *rt_globq_take_urgent(struct rt_p *p);

/* Forgets all and frees its memory: the runtime ends. */
void rt_globq_reset(void);

#endif
