/* SPDX-License-Identifier: MIT */
/* The run queue of one P: a ring that its owner fills and everybody empties, and the
   goroutine to run next. */
#ifndef RT_SCHED_RUNQ_H
#define RT_SCHED_RUNQ_H

/*
 * Who may call what. "Owner" is the M that holds the P; "thief" is an M that holds
 * another P.
 *
 *            | put, put_next,    | grab, steal_next | is_empty, has_any,
 *            | pop, pop_next     | (thief)          | length
 *            | (owner)           |                  | (any)
 *   ---------+-------------------+------------------+------------------
 *   owner    | never at the same | at the same time | at the same time
 *            | time              |                  |
 *   thief    | at the same time  | at the same time | at the same time
 *
 * The ring. head and tail run freely, a slot's place is its number modulo RT_RUNQ_SLOTS.
 * Only the owner writes tail and slots; everybody takes from head by a compare-and-swap.
 * FIFO.
 *   put   linearizes at the store to tail
 *   pop   linearizes at the compare-and-swap of head
 *   grab  linearizes at the compare-and-swap of head, after copying: if it fails, the
 *         copies are forgotten
 * A slot is rewritten only after head has passed it, which makes the compare-and-swap of
 * a slow thief fail; the 32-bit numbers would have to wrap around within one grab for
 * that not to hold.
 *
 * The next slot. Only the owner makes it non-NULL; owner and thieves take from it by swap
 * and compare-and-swap. So the owner, finding it NULL, may fill it by a plain store:
 * nobody else writes it then.
 */
#include "base/atomic.h"
#include "base/compiler.h"
#include "mem/gpool.h"
#include <stdbool.h>

struct rt_g;

#define RT_RUNQ_SLOTS 256u

/* How far ahead goroutines are brought into the cache: a miss lasts as long as a few
   short goroutines. */
#define RT_RUNQ_AHEAD 6u

struct rt_runq {
    /* Atomic: moved by everybody. */
    rt_atomic(uint32_t) head RT_CACHE_ALIGNED;

    /* Atomic: moved by the owner. */
    rt_atomic(uint32_t) tail RT_CACHE_ALIGNED;
    rt_atomic(struct rt_g *) next;
    rt_atomic(uint32_t) kept_end; /* those before it are kept: rt_runq_keep() */
    rt_atomic(struct rt_g *) slots[RT_RUNQ_SLOTS];
};

/* Owner. Appends g. False if the ring is full: then nothing has changed. */
static inline bool rt_runq_put(struct rt_runq *q, struct rt_g *g) {
    /* acquire: a slot is rewritten only after whoever moved head has read it.
       Pairs with the release in rt_runq_pop() and rt_runq_grab(). */
    uint32_t h = rt_load_acq(&q->head);
    uint32_t t = rt_load_rlx(&q->tail); /* relaxed: own writes */
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

/* Owner. The oldest, or NULL. */
static inline struct rt_g *rt_runq_pop(struct rt_runq *q) {
    uint32_t h = rt_load_rlx(&q->head); /* relaxed: the compare-and-swap decides */
    for (;;) {
        uint32_t t = rt_load_rlx(&q->tail); /* relaxed: own writes */
        if (t == h) {
            return NULL;
        }
        /* relaxed: own writes */
        struct rt_g *g = rt_load_rlx(&q->slots[h % RT_RUNQ_SLOTS]);
        /* release: the slot has been read. Pairs with the acquire of head in
           rt_runq_put(). */
        if (likely(rt_cas_acqrel(&q->head, &h, h + 1))) {
            /* A hint: what comes later is often out of the cache. Whatever the slot
               holds, nothing is read. The copy of an argument lies in the spare bytes. */
            const char *later =
                (const char *)rt_load_rlx(&q->slots[(h + RT_RUNQ_AHEAD) % RT_RUNQ_SLOTS]);
            __builtin_prefetch(later, 1);
            __builtin_prefetch(later + RT_GSLOT_SPARE_OFFSET, 1);
            return g;
        }
    }
}

/* Owner. Makes g the one to run next; returns the one that had been, which the caller has
   to put elsewhere. */
static inline struct rt_g *rt_runq_put_next(struct rt_runq *q, struct rt_g *g) {
    /* relaxed: only the owner makes it non-NULL */
    if (likely(rt_load_rlx(&q->next) == NULL)) {
        /* release: publishes g. Pairs with the acquire in rt_runq_steal_next(). */
        rt_store_rel(&q->next, g);
        return NULL;
    }
    /* release: publishes g; acquire: none needed, what comes back was put here by this
       owner. Pairs with the acquire in rt_runq_steal_next(). */
    return rt_swap_acqrel(&q->next, g);
}

/* Owner. Takes the one to run next, or NULL. */
static inline struct rt_g *rt_runq_pop_next(struct rt_runq *q) {
    if (rt_load_rlx(&q->next) == NULL) { /* relaxed: only the owner makes it non-NULL */
        return NULL;
    }
    /* acq_rel: decides against thieves; nothing is published by it. Pairs with
       rt_runq_steal_next(). */
    return rt_swap_acqrel(&q->next, NULL);
}

/* Owner. Takes the older half of a full ring out, oldest first: into batch, which has
   room for half of the slots. Returns how many; 0 if thieves made room meanwhile. */
uint32_t rt_runq_take_half(struct rt_runq *q, struct rt_g **batch);

/* Thief, owner of own. Moves the older half, rounded up, of victim's ring to own, which
   is empty. Returns one of them, which is not in own, or NULL. *moved is how many were
   taken in all. */
struct rt_g *rt_runq_grab(struct rt_runq *own, struct rt_runq *victim, uint32_t *moved);

/* Thief. Takes victim's next goroutine if it still is g. */
bool rt_runq_steal_next(struct rt_runq *victim, struct rt_g *g);

/* Any. How many are in the ring: true at some moment during the call. */
static inline uint32_t rt_runq_length(const struct rt_runq *q) {
    for (;;) {
        /* acquire: head is read before tail, so that tail is not behind it. Pairs with
           the release in rt_runq_pop() and rt_runq_put(). */
        uint32_t h = rt_load_acq(&q->head);
        uint32_t t = rt_load_acq(&q->tail);
        if (likely(t - h <= RT_RUNQ_SLOTS)) {
            return t - h;
        }
    }
}

/* Any. Whether ring or next slot have somebody. Who has the P in his hands overlooks
   nobody, since others only take; for them it is a hint, unlike rt_runq_is_empty(). */
static inline bool rt_runq_has_any(const struct rt_runq *q) {
    /* relaxed: only the owner makes it non-NULL */
    return rt_load_rlx(&q->next) != NULL || rt_runq_length(q) > 0;
}

/* Owner. Will come to all that is in the ring now so soon that nobody need be woken for
   it. A hint: others may steal it all the same. */
static inline void rt_runq_keep(struct rt_runq *q) {
    rt_store_rlx(&q->kept_end, rt_load_rlx(&q->tail)); /* relaxed, both: own, a hint */
}

/* Any: the owner does not come to it. */
static inline void rt_runq_keep_none(struct rt_runq *q) {
    /* relaxed, both: a hint; if the owner has kept more since, this is about that too */
    rt_store_rlx(&q->kept_end, rt_load_rlx(&q->head));
}

/* Any. How many are kept: a hint. */
static inline uint32_t rt_runq_kept(const struct rt_runq *q) {
    uint32_t kept =
        rt_load_rlx(&q->kept_end) - rt_load_rlx(&q->head); /* relaxed: likewise */
    return kept <= RT_RUNQ_SLOTS ? kept : 0;               /* else it is behind */
}

/* Any. How many are in the ring for whom somebody should be woken. Those that are put
   there after a rt_runq_keep() count. */
static inline uint32_t rt_runq_surplus(const struct rt_runq *q) {
    uint32_t length = rt_runq_length(q); /* first: rather too many than too few */
    uint32_t kept = rt_runq_kept(q);
    return length > kept ? length - kept : 0;
}

/* Any. True if ring and next slot were empty at one moment. A goroutine that the owner
   moves from the next slot to the ring, or from the ring to its hands and back, is not
   overlooked: tail has then changed. */
bool rt_runq_is_empty(const struct rt_runq *q);

#endif
