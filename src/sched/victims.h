/* SPDX-License-Identifier: MIT */
/* The order in which a thief visits the Ps: random start, random stride, each once. */
#ifndef RT_SCHED_VICTIMS_H
#define RT_SCHED_VICTIMS_H

/*
 * Thieves that all went 0, 1, 2, ... would meet at the same victims and leave the last
 * ones alone. A shuffle for each search would cost memory and time. Steps of one stride
 * that has no common divisor with the number of Ps come by every P before they repeat, as
 * in Go; but which strides those are depends on the number, which may change at any time,
 * and a table of them would have to change with it. So the steps go round the next power
 * of two, for which every odd stride will do, and pass over the numbers that no P has:
 * fewer than half of them.
 */
#include "base/bits.h"
#include "sched/p.h"
#include <stdbool.h>
#include <stdint.h>

/* One search. The thief's own. */
struct rt_victims_walk {
    uint32_t count; /* Ps */
    uint32_t mask;  /* the next power of two, less one */
    uint32_t stride;
    uint32_t at;   /* the next to visit, if there is such a P */
    uint32_t left; /* steps to go */
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

/* Puts the number of the next P to visit into *p; false once all have been visited. */
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
