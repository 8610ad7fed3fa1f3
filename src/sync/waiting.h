/* SPDX-License-Identifier: MIT */
/* Waiting in one queue, with an optional deadline. */
#ifndef RT_SYNC_WAITING_H
#define RT_SYNC_WAITING_H

#include "os/os.h"
#include "sched/waitq.h"

/* Reads the clock only if there is a deadline. */
static inline bool rt_deadline_passed(int64_t deadline_ns) {
    return deadline_ns != OS_NEVER && deadline_ns <= os_now();
}

/* Returns g's embedded record, with a ticket if there is a deadline. */
static inline struct rt_waiter *rt_wait_record_until(struct rt_g *g, void *value,
                                                     int64_t deadline_ns) {
    return rt_wait_record(g, value,
                          deadline_ns == OS_NEVER ? RT_TICKET_ALONE : rt_claim_new(g));
}

/* Parks w->g, whose record is in the queue, and releases the guard after the switch. On
   return the record's result is RT_WAIT_PENDING if the deadline passed first. */
static inline void rt_wait_record_park(struct rt_waiter *w, struct rt_spin *guard,
                                       int64_t deadline_ns, enum rt_wait_reason reason,
                                       const void *pc) {
    if (likely(deadline_ns == OS_NEVER)) {
        rt_wait(w->g, guard, reason, pc);
    } else {
        rt_wait_until(w->g, guard, w->ticket, deadline_ns, reason, pc);
    }
}

/* The lower half of w, a word of an object, is the descriptor index of the last waiter; the
   others follow by their links. Returns them as a list for rt_ready_list(). */
static inline struct rt_g *rt_waiter_list(uint64_t w) {
    uint32_t index = (uint32_t)w;
    return index == 0 ? NULL : rt_g_of(rt_gpool_at(index));
}

/* Claims every waiter in q with result 0 and returns them as a list for rt_ready_list();
   *count is their number. The caller holds q's lock. */
static inline struct rt_g *rt_waitq_claim_all(struct rt_waitq *q, uint32_t *count) {
    struct rt_g *list = NULL;
    struct rt_waiter *w;
    *count = 0;
    while ((w = rt_waitq_claim(q)) != NULL) {
        w->result = 0;
        rt_g_link(w->g, list);
        list = w->g;
        ++*count;
    }
    return list;
}

#endif
