/* SPDX-License-Identifier: MIT */
/* The claim of a goroutine: which of several wakers wakes it. */
#ifndef RT_SCHED_CLAIM_H
#define RT_SCHED_CLAIM_H

/*
 * Claim. ('Claim') A goroutine can wait in several queues at once, or have a deadline. Its
 * wakers then hold different locks, and exactly one must win. Each waker does a
 * compare-and-swap on g->claim, from the ticket of this wait, which is even, to ticket + 1.
 * Tickets of a descriptor count up, and descriptors are never unmapped. So a late waker,
 * such as a timer, finds another value and gives up. The tickets wrap around after 2^31
 * waits, and skip 0: no waker is that late. A record with ticket 0 can be found in one
 * queue only: the waker that takes it off has won.
 */
#include "base/atomic.h"
#include "sched/g.h"
#include <stdbool.h>
#include <stdint.h>

/* The ticket of a record that is in one queue and has no deadline. */
#define RT_TICKET_ALONE 0

/* Returns a new ticket for the caller's next wait. */
static inline uint32_t rt_claim_new(struct rt_g *g) {
    /* relaxed: published by the queue's lock, or by the lock of the timer wheel */
    uint32_t ticket = (rt_load_rlx(&g->claim) | 1) + 1;
    ticket = ticket == RT_TICKET_ALONE ? 2 : ticket;
    rt_store_rlx(&g->claim, ticket);
    return ticket;
}

/* Any waker. Returns true if the caller has won and must wake g. */
static inline bool rt_claim_try(struct rt_g *g, uint32_t ticket) {
    /* relaxed: the loser does nothing more with this wait, and rt_ready() publishes what
       the winner writes */
    return rt_cas_rlx(&g->claim, &ticket, ticket + 1);
}

#endif
