/* SPDX-License-Identifier: MIT */
/* The order in which a thief visits the Ps: random start, random stride, each once. */
#ifndef RT_SCHED_STEAL_H
#define RT_SCHED_STEAL_H

/*
 * If all thieves visited 0, 1, 2, ... they would meet at the same victims and miss the
 * last ones. A shuffle per search would cost memory and time. Go steps by a stride that
 * is coprime to the number of Ps, which visits every P once; but the coprimes depend on
 * that number, which may change at any time here, and a table of them would have to
 * change with it. So the steps go round the next power of two, for which every odd stride
 * works, and skip the numbers that no P has: fewer than half of them.
 */
#include "base/bits.h"
#include "sched/p.h"
#include <stdbool.h>
#include <stdint.h>

/* One search. The thief itself. */
struct rt_victims_walk {
    uint32_t count; /* number of Ps */
    uint32_t mask;  /* the next power of two, minus one */
    uint32_t stride;
    uint32_t at;   /* the next id to visit, if there is such a P */
    uint32_t left; /* steps left */
};

/* Begins a search among count Ps, 1 to RT_PROCS_MAX. */
static inline struct rt_victims_walk rt_victims_begin(uint32_t count, uint32_t random) {
    unsigned log2 = rt_log2_up(count);
    uint32_t mask = (UINT32_C(1) << log2) - 1;
    return (struct rt_victims_walk){
        .count = count,
        .mask = mask,
        .stride = (random >> log2 & mask) | 1,
        .at = random & mask,
        .left = mask + 1,
    };
}

/* Stores the id of the next P to visit in *p. Returns false once all have been visited. */
static inline bool rt_victims_next(struct rt_victims_walk *w, uint32_t *p) {
    while (w->left > 0) {
        w->left--;
        *p = w->at;
        w->at = (w->at + w->stride) & w->mask;
        if (*p < w->count) {
            return true;
        }
    }
    return false;
}

#endif
