/* SPDX-License-Identifier: MIT */
/* Wait queues, with or without a deadline: the base of channels, select and locks. */
#ifndef RT_SCHED_WAITQ_H
#define RT_SCHED_WAITQ_H

/*
 * A goroutine, or a foreign thread through its proxy, waits as follows: it puts a record
 * into the wait queue of an object, under the object's spin lock, and parks; the lock is
 * released after the switch. A waker takes the record off under the same lock.
 *
 * If the goroutine waits in several queues, or has a deadline, its wakers compete for its
 * claim: see claim.h.
 *
 *     waiter                              waker
 *     new ticket; put records into        take a record off, under the lock
 *         queues, under their locks       claim ticket -> ticket + 1, or next record
 *     park; the commit arms the           write value and result into the record
 *         timer and unlocks               rt_ready(g)
 *     find the record with a result;
 *     take the others off their
 *         queues, under their locks
 *
 * The winner may touch the record until it calls rt_ready(): the waiter cannot resume
 * before. A loser touches the record only under the lock of its queue, and the waiter takes
 * that lock before it reuses the record.
 *
 * Each descriptor embeds one record, for waits in one queue. A select of up to 16 cases has
 * its records on the goroutine's stack, which does not move.
 */
#include "base/atomic.h"
#include "base/compiler.h"
#include "sched/syscall/enter.h"
#include "sched/thread/foreign.h"
#include "sched/claim.h"
#include "sched/g.h"
#include "sched/m.h"
#include "sched/spin.h"

/* The result of a record that no waker has claimed. */
#define RT_WAIT_PENDING 1

/* FIFO. Guard: the spin lock of the object that it belongs to. */
struct rt_waitq {
    rt_atomic(struct rt_waiter *) first; /* also read without the lock, as a hint */
    struct rt_waiter *last;              /* valid if first is not NULL */
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
        rt_store_rlx(&q->first, w); /* relaxed: the lock is held */
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
    rt_store_rlx(&q->first, w); /* relaxed: the lock is held */
}

/* Takes w off q, unless a waker has done so. */
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

/* Takes records off q until one is claimed, and returns that; NULL: there is none. The
   caller fills in its result and calls rt_ready(w->g). */
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

/* Enters the runtime. Returns the G that is about to wait: the calling goroutine, or the
   proxy of a foreign thread. */
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

/* Fills in and returns the embedded record of g, for a wait in one queue. */
static inline struct rt_waiter *rt_wait_record(struct rt_g *g, void *value,
                                               uint32_t ticket) {
    struct rt_waiter *w = &g->waiter;
    w->g = g;
    w->value = value;
    w->ticket = ticket;
    w->result = RT_WAIT_PENDING;
    return w;
}

/* Parks g, the caller, from rt_wait_begin(), and then releases the lock. Returns when a
   waker has woken it. */
void rt_wait(struct rt_g *g, struct rt_spin *lock, enum rt_wait_reason reason,
             const void *pc);

/* The same with a deadline, which needs a ticket. Returns when a waker or the timer has won
   the claim. OS_NEVER: no deadline. */
void rt_wait_until(struct rt_g *g, struct rt_spin *lock, uint32_t ticket,
                   int64_t deadline_ns, enum rt_wait_reason reason, const void *pc);

/* A wait of a caller that holds no lock, or several, which unlock(arg) releases. */
struct rt_wait_terms {
    void (*unlock)(void *arg); /* NULL: it holds no lock */
    void *arg;
    uint32_t ticket;
    int64_t deadline_ns;
    enum rt_wait_reason reason;
    const void *pc;
};

/* As rt_wait_until(). */
void rt_wait_on(struct rt_g *g, const struct rt_wait_terms *terms);

#endif
