/* SPDX-License-Identifier: MIT */
/* The global run queue: what overflows a P's ring, and what threads without a P enqueue. */
#ifndef RT_SCHED_GLOBQ_H
#define RT_SCHED_GLOBQ_H

#include "base/atomic.h"
#include "base/compiler.h"
#include <stdbool.h>

struct rt_g;
struct rt_p;

/* Goroutines linked by slot.next, first to last. */
struct rt_glist {
    struct rt_g *first;
    struct rt_g *last;
    uint32_t count;
};

void rt_glist_append(struct rt_glist *list, struct rt_g *g);
struct rt_g *rt_glist_pop(struct rt_glist *list);

/* Atomic: written under the lock in globq.c; every scheduling reads them without it, so
   they have a cache line of their own. */
RT_EXTERN struct rt_globq_length {
    rt_atomic(uint32_t) ahead; /* goroutines ahead of the yielded ones, urgent included */
    rt_atomic(uint32_t) urgent;  /* urgent goroutines */
    rt_atomic(uint32_t) yielded; /* goroutines that yielded */
} rt_globq_shared RT_CACHE_ALIGNED;

/* How many goroutines are queued ahead of the yielded ones. acquire, here and below: a
   goroutine that has left the queue is seen in the ring it went to. Pairs with the release
   in publish_and_unlock(). */
static inline uint32_t rt_globq_ahead(void) {
    return rt_load_acq(&rt_globq_shared.ahead);
}

/* How many goroutines that yielded are queued. */
static inline uint32_t rt_globq_yielded(void) {
    return rt_load_acq(&rt_globq_shared.yielded);
}

/* How many are queued in all. Exact for the last spinning M after its fence, see
   rt_spinning_give_up(); else a hint. */
static inline uint32_t rt_globq_length(void) {
    return rt_globq_ahead() + rt_globq_yielded();
}

/* How many of rt_globq_put_urgent() are queued: a hint. */
static inline uint32_t rt_globq_urgent(void) {
    return rt_load_rlx(&rt_globq_shared.urgent); /* relaxed: a hint */
}

/* Append. The caller then calls rt_wakep(). */
void rt_globq_put(struct rt_g *g);
void rt_globq_put_list(struct rt_glist *list);
/* Appends to those that run before all others. */
void rt_globq_put_urgent(struct rt_glist *list);
void rt_globq_put_array(struct rt_g *const *gs, uint32_t count);
/* Appends to those that run after all others. */
void rt_globq_put_yielded(struct rt_glist *list);

/* Takes one: an urgent one; else the longest waiting of the list or one of a chunk, in
   turn; else one that yielded. NULL: the queue is empty. */
struct rt_g *rt_globq_take_one(void);

/* Owner of p. Takes p's share of those ahead of the yielded ones, at most one more than
   half a ring; an urgent one first, unless the last one that p ran was urgent. Returns the
   first and puts the others into p's ring, as far as it has room. NULL: there are none. */
struct rt_g *rt_globq_take_batch(struct rt_p *p, uint32_t procs);

/* Owner of p, whose ring is not empty. The same with a smaller share: of the list as many
   as fill half of the room in the ring, of chunks only one G, unless the oldest chunk has
   its turn. */
struct rt_g *rt_globq_take_share(struct rt_p *p, uint32_t procs);

/* Owner of p. Takes p's share of the yielded ones. Returns the first and puts the others
   into p's yieldq. NULL: there are none. */
struct rt_g *rt_globq_take_yielded(struct rt_p *p, uint32_t procs);

/* Owner of p. Takes an urgent one, and puts as many others as fit into p's ring. NULL:
   there are none. */
struct rt_g *rt_globq_take_urgent(struct rt_p *p);

/* At the end of the runtime: drops all goroutines and frees the queue's memory. */
void rt_globq_reset(void);

#endif
