/* SPDX-License-Identifier: MIT */
/* The run queue of one P: runnext, and a ring that its owner fills and all Ms empty. struct
   rt_runq is in p.h. */
#ifndef RT_SCHED_RUNQ_H
#define RT_SCHED_RUNQ_H

/*
 * "Owner" is the M that holds the P; "thief" is an M that holds another P. Which calls may
 * run concurrently on one queue:
 *
 *            | put, put_runnext, | grab,            | has_any,
 *            | pop, pop_runnext, | steal_runnext    | length, kept, surplus,
 *            | take_half, keep   |                  | keep_none
 *            | (owner)           | (thief)          | (any thread)
 *   ---------+-------------------+------------------+-----------------------
 *   owner    | never             | yes              | yes
 *   thief    | yes               | yes              | yes
 *
 * The ring is FIFO. head and tail count up without bound; slot number n is at
 * n % RT_RUNQ_SLOTS. Only the owner writes tail and slots; owner and thieves take by a
 * compare-and-swap of head.
 *   put   linearizes at the store to tail
 *   pop   linearizes at the compare-and-swap of head
 *   grab  linearizes at the compare-and-swap of head, after it has copied the slots; if
 *         that fails, the copies are dropped
 * The owner rewrites a slot only after head has passed it, which makes the compare-and-swap
 * of a slow thief fail. (The 32-bit counters would have to wrap around within one grab to
 * break this.)
 *
 * runnext. Only the owner makes it non-NULL; the owner takes it by a swap, thieves by a
 * compare-and-swap. So an owner that finds it NULL may fill it with a plain store: no other
 * thread writes it then.
 */
#include "base/atomic.h"
#include "base/compiler.h"
#include "mem/gpool.h"
#include "sched/p.h"
#include <stdbool.h>

/* How many slots ahead goroutines are prefetched: a cache miss lasts as long as a few short
   goroutines. */
#define RT_RUNQ_AHEAD 6u

/* Owner. Appends g. Returns false and changes nothing if the ring is full. */
static inline bool rt_runq_put(struct rt_runq *q, struct rt_g *g) {
    /* acquire: takers that moved head have read the slot that is rewritten here. Pairs with
       the release in rt_runq_pop(), rt_runq_take_half() and rt_runq_grab(). */
    uint32_t h = rt_load_acq(&q->head);
    uint32_t t = rt_load_rlx(&q->tail); /* relaxed: the owner's own */
    if (unlikely(t - h >= RT_RUNQ_SLOTS)) {
        return false;
    }
    /* relaxed: published by the next line */
    rt_store_rlx(&q->slots[t % RT_RUNQ_SLOTS], g);
    /* release: publishes the slot and g. Pairs with the acquire of tail in
       rt_runq_grab(). */
    rt_store_rel(&q->tail, t + 1);
    return true;
}

/* Owner. Takes the oldest G, or returns NULL. */
static inline struct rt_g *rt_runq_pop(struct rt_runq *q) {
    uint32_t h = rt_load_rlx(&q->head); /* relaxed: the compare-and-swap decides */
    for (;;) {
        uint32_t t = rt_load_rlx(&q->tail); /* relaxed: the owner's own */
        if (t == h) {
            return NULL;
        }
        /* relaxed: the owner's own */
        struct rt_g *g = rt_load_rlx(&q->slots[h % RT_RUNQ_SLOTS]);
        /* release: the slot has been read. Pairs with the acquire of head in
           rt_runq_put(). */
        if (likely(rt_cas_acqrel(&q->head, &h, h + 1))) {
            /* A hint: later Gs are often out of the cache. The slot may be stale; the
               pointer is not dereferenced. Copied arguments are in the spare bytes. */
            const char *later =
                (const char *)rt_load_rlx(&q->slots[(h + RT_RUNQ_AHEAD) % RT_RUNQ_SLOTS]);
            __builtin_prefetch(later, 1);
            __builtin_prefetch(later + RT_GSLOT_SPARE_OFFSET, 1);
            return g;
        }
    }
}

/* Owner. Puts g into runnext. Returns the G that was there, or NULL; the caller must put
   that one elsewhere. */
static inline struct rt_g *rt_runq_put_runnext(struct rt_runq *q, struct rt_g *g) {
    /* relaxed: only the owner makes it non-NULL */
    if (likely(rt_load_rlx(&q->runnext) == NULL)) {
        /* release: publishes g. Pairs with the acquire in rt_runq_steal_runnext(). */
        rt_store_rel(&q->runnext, g);
        return NULL;
    }
    /* release: publishes g. Pairs with the acquire in rt_runq_steal_runnext(). The acquire
       has no partner: an owner of this P put the returned G here. */
    return rt_swap_acqrel(&q->runnext, g);
}

/* Owner. Takes the G in runnext, or returns NULL. */
static inline struct rt_g *rt_runq_pop_runnext(struct rt_runq *q) {
    /* relaxed: only the owner makes it non-NULL */
    if (rt_load_rlx(&q->runnext) == NULL) {
        return NULL;
    }
    /* relaxed: exactly one of the owner and thieves gets the G, and an owner of this P put
       it here. */
    return rt_swap_rlx(&q->runnext, NULL);
}

/* Owner. Takes the older half of a full ring into batch, oldest first; batch has room for
   half of the slots. Returns how many; 0 if thieves have made room. */
uint32_t rt_runq_take_half(struct rt_runq *q, struct rt_g **batch);

/* Thief, the owner of own. Takes the older half of victim's ring, rounded up, but at most
   what own has room for. Returns the last of them and puts the others into own; NULL: there
   was none. */
struct rt_g *rt_runq_grab(struct rt_runq *own, struct rt_runq *victim);

/* Thief. Takes victim's runnext if it still is g. */
bool rt_runq_steal_runnext(struct rt_runq *victim, struct rt_g *g);

/* Any thread. How many Gs are in the ring: true at some moment during the call. */
static inline uint32_t rt_runq_length(const struct rt_runq *q) {
    for (;;) {
        /* acquire: tail is read after head, so that it is not behind head. Pairs with the
           release in rt_runq_pop(), rt_runq_grab() and rt_runq_put(). */
        uint32_t h = rt_load_acq(&q->head);
        uint32_t t = rt_load_acq(&q->tail);
        if (likely(t - h <= RT_RUNQ_SLOTS)) {
            return t - h;
        }
    }
}

/* Owner. Room in the ring. It can only grow until the owner puts, since other threads only
   take. The acquire in rt_runq_length() orders writes to free slots after takers' reads. */
static inline uint32_t rt_runq_room(const struct rt_runq *q) {
    return RT_RUNQ_SLOTS - rt_runq_length(q);
}

/* Owner. Whether the ring has a G, which a thief may still take. relaxed, both: an old head
   makes a ring that thieves have emptied look filled; rt_runq_pop() decides. */
static inline bool rt_runq_ring_has_any(const struct rt_runq *q) {
    return rt_load_rlx(&q->tail) != rt_load_rlx(&q->head);
}

/* Any thread. Whether the ring or runnext has a G. Exact for the owner, since other threads
   only take; a hint for others. */
static inline bool rt_runq_has_any(const struct rt_runq *q) {
    /* relaxed: only the owner makes it non-NULL */
    return rt_load_rlx(&q->runnext) != NULL || rt_runq_length(q) > 0;
}

/* Owner. Marks all Gs in the ring as kept: the owner runs them so soon that no M need be
   woken for them. A hint: thieves may still steal them. */
static inline void rt_runq_keep(struct rt_runq *q) {
    /* release: publishes the ring, so that a thread that sees Gs kept also sees them in the
       ring. Pairs with rt_runq_kept(). relaxed: the owner's own tail. */
    rt_store_rel(&q->kept_end, rt_load_rlx(&q->tail));
}

/* Any thread. The owner is too slow: no G is kept any more. */
static inline void rt_runq_keep_none(struct rt_runq *q) {
    /* relaxed, both: a hint; may also undo a concurrent rt_runq_keep(), with good reason */
    rt_store_rlx(&q->kept_end, rt_load_rlx(&q->head));
}

/* Any thread. How many Gs are kept: a hint. */
static inline uint32_t rt_runq_kept(const struct rt_runq *q) {
    /* acquire: the ring. Pairs with rt_runq_keep(). Sysmon, which ends the keeping, wakes a
       thief that has to find these Gs. */
    uint32_t kept_end = rt_load_acq(&q->kept_end);
    uint32_t kept = kept_end - rt_load_rlx(&q->head); /* relaxed: a hint */
    return kept <= RT_RUNQ_SLOTS ? kept : 0;          /* else head has passed it */
}

/* Any thread. The slot behind the last G that is kept, and whether takers have passed a
   slot: hints. */
static inline uint32_t rt_runq_kept_end(const struct rt_runq *q) {
    return rt_load_rlx(&q->kept_end); /* relaxed: only compared */
}

static inline bool rt_runq_has_passed(const struct rt_runq *q, uint32_t slot) {
    return (int32_t)(rt_load_rlx(&q->head) - slot) >= 0; /* relaxed: as above */
}

/* Any thread. How many Gs in the ring are not kept, so that an M is woken for them: those
   put there after the last rt_runq_keep(). */
static inline uint32_t rt_runq_surplus(const struct rt_runq *q) {
    uint32_t length = rt_runq_length(q); /* read first: rather too many than too few */
    uint32_t kept = rt_runq_kept(q);
    return length > kept ? length - kept : 0;
}

/* Any thread. Whether one of the P's queues has a goroutine. Exact for the owner, since
   other threads only take; a hint for others. */
static inline bool rt_p_has_any(const struct rt_p *p) {
    return rt_runq_has_any(&p->runq) || rt_runq_length(&p->yieldq) > 0;
}

/* Any thread. How many goroutines are in the P's rings. */
static inline uint32_t rt_p_queued(const struct rt_p *p) {
    return rt_runq_length(&p->runq) + rt_runq_length(&p->yieldq);
}

/* Any thread. The same without those that the P keeps: see rt_runq_keep(). */
static inline uint32_t rt_p_surplus(const struct rt_p *p) {
    return rt_runq_surplus(&p->runq) + rt_runq_length(&p->yieldq);
}

#endif
