/* SPDX-License-Identifier: MIT */
/* Waiting in queues, with or without a deadline: what channels, select and locks are made
   of. */
#ifndef RT_SCHED_WAIT_H
#define RT_SCHED_WAIT_H

/*
 * A goroutine, or a foreign thread through its proxy, waits by putting a record into the
 * queue of what it waits for, under that object's spin lock, and parking; the lock is
 * released after the switch. Who wants to wake it takes the record off under the same
 * lock.
 *
 * Claim. ('Claim') A goroutine can wait in several queues at once, or have a deadline.
 * Then those who would wake it hold different locks, and one of them has to win: each
 * does a compare-and-swap on g->claim, from the ticket of this wait, which is even, to
 * the odd number above it. Tickets of one descriptor only go up, and descriptors are
 * never unmapped, so that a waker that comes late, a timer say, finds another number and
 * leaves. A record with the ticket 0 is alone: who takes it off its queue has won.
 *
 *     waiter                              waker
 *     ticket := new; records into         record off the queue, under its lock
 *         queues, under their locks       claim: ticket -> ticket + 1, or next record
 *     park; the commit arms the           value and result into the record
 *         timer and unlocks               rt_ready(g)
 *     look which record has a result;
 *     take the others off their
 *         queues, under their locks
 *
 * The winner may touch the record until rt_ready(): the waiter cannot go on before. Losers
 * have touched the record only under the lock of its queue, which the waiter takes before
 * the record goes out of use.
 *
 * One record is embedded in each descriptor, for waits in one queue; a select of up to 16
 * cases has its own on the goroutine's stack, which stays where it is.
 */
#include "base/atomic.h"
#include "base/compiler.h"
#include "sched/enter.h"
#include "sched/foreign.h"
#include "sched/g.h"
#include "sched/m.h"
#include "sched/spin.h"

/* A record's result while nobody has chosen it. */
#define RT_WAIT_PENDING 1

/* The ticket of a record that can be found in one way only. */
#define RT_TICKET_ALONE 0

/* First in, first out; under the lock of the object that it belongs to. */
struct rt_waitq {
    rt_atomic(struct rt_waiter *) first; /* read without the lock, as a hint */
    struct rt_waiter *last;              /* valid if there is a first */
};

static inline bool rt_waitq_seems_empty(const struct rt_waitq *q) {
    /* relaxed: a hint */
    return rt_load_rlx(&q->first) == NULL;
}

static inline void rt_waitq_push(struct rt_waitq *q, struct rt_waiter *w) {
    struct rt_waiter *first = rt_load_rlx(&q->first); /* relaxed: the lock is held */
    w->next = NULL;
    w->queue = q;
    if (first == NULL) {
        w->prev = NULL;
        rt_store_rlx(&q->first, w); /* relaxed: likewise */
    } else {
        w->prev = q->last;
        q->last->next = w;
    }
    q->last = w;
}

static inline void rt_waitq_push_front(struct rt_waitq *q, struct rt_waiter *w) {
    struct rt_waiter *first = rt_load_rlx(&q->first); /* relaxed: the lock is held */
    w->next = first;
    w->prev = NULL;
    w->queue = q;
    if (first == NULL) {
        q->last = w;
    } else {
        first->prev = w;
    }
    rt_store_rlx(&q->first, w); /* relaxed: likewise */
}

/* Takes w off q; nothing if somebody has. */
static inline void rt_waitq_remove(struct rt_waitq *q, struct rt_waiter *w) {
    if (w->queue == NULL) {
        return;
    }
    if (w->prev == NULL) {
        rt_store_rlx(&q->first, w->next); /* relaxed: the lock is held */
    } else {
        w->prev->next = w->next;
    }
    if (w->next == NULL) {
        q->last = w->prev;
    } else {
        w->next->prev = w->prev;
    }
    w->queue = NULL;
}

/* A new ticket for the caller's next wait. */
static inline uint32_t rt_claim_new(struct rt_g *g) {
    /* relaxed: published by the queue's lock, or by arming the timer */
    uint32_t ticket = (rt_load_rlx(&g->claim) | 1) + 1;
    ticket = ticket == RT_TICKET_ALONE ? 2 : ticket;
    rt_store_rlx(&g->claim, ticket);
    return ticket;
}

/* True: the caller wakes g, and nobody else does. */
static inline bool rt_claim_try(struct rt_g *g, uint32_t ticket) {
    /* acq_rel: decides between wakers, and pairs with itself; what they write is published
       by rt_ready(). */
    return rt_cas_acqrel(&g->claim, &ticket, ticket + 1);
}

/* The first of those who wait in q and have not been chosen elsewhere, off the queue; NULL:
   none. The caller fills in its result and calls rt_ready(w->g). */
static inline struct rt_waiter *rt_waitq_claim(struct rt_waitq *q) {
    struct rt_waiter *w;
    while ((w = rt_load_rlx(&q->first)) != NULL) { /* relaxed: the lock is held */
        rt_waitq_remove(q, w);
        if (likely(w->ticket == RT_TICKET_ALONE) || rt_claim_try(w->g, w->ticket)) {
            return w;
        }
    }
    return NULL;
}

/* Enters the runtime. Who is about to wait: the goroutine, or a proxy for the foreign
   thread. */
static inline struct rt_g *rt_wait_begin(void) {
    struct rt_m *m = arch_self();
    return likely(m != NULL) ? rt_m_g(rt_m_enter(m)) : rt_foreign_begin();
}

static inline void rt_wait_end(struct rt_g *g) {
    if (unlikely((g->flags & RT_G_FLAG_FOREIGN) != 0)) {
        rt_foreign_end(g);
    } else {
        rt_m_leave(arch_self());
    }
}

/* The embedded record of g, for a wait in one queue. */
static inline struct rt_waiter *rt_wait_record(struct rt_g *g, void *value,
                                               uint32_t ticket) {
    struct rt_waiter *w = &g->waiter;
    w->g = g;
    w->value = value;
    w->ticket = ticket;
    w->result = RT_WAIT_PENDING;
    return w;
}

/* Parks the caller, g of rt_wait_begin(), and releases the lock once it is parked. Returns
   when it has been woken. */
void rt_wait(struct rt_g *g, struct rt_spin *lock, enum rt_wait_reason reason,
             const void *pc);

/* The same with a deadline, which needs a ticket; returns when somebody has won the claim:
   a waker, or the clock. For OS_NEVER there is no clock. */
void rt_wait_until(struct rt_g *g, struct rt_spin *lock, uint32_t ticket,
                   int64_t deadline_ns, enum rt_wait_reason reason, const void *pc);

/* The same for several locks: unlock(arg) releases them. */
typedef void rt_unlock_fn(void *arg);
void rt_wait_several(struct rt_g *g, rt_unlock_fn *unlock, void *arg, uint32_t ticket,
                     int64_t deadline_ns, enum rt_wait_reason reason, const void *pc);

#endif
