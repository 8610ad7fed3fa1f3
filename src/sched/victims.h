/* SPDX-License-Identifier: MIT */
/* The order in which a thief visits the Ps: random start, random stride, each once. */
#ifndef RT_SCHED_VICTIMS_H
#define RT_SCHED_VICTIMS_H

/*
 * Thieves that all went 0, 1, 2, ... would meet at the same victims and leave the last
 * ones alone. A shuffle for each search would cost memory and time. The way taken is
 * Go's: steps of one stride that has no common divisor with the number of Ps come by
 * every P before they repeat, so a start and a stride make a permutation.
 */
#include "base/bits.h"
#include "base/die.h"
#include "sched/p.h"
#include <stdbool.h>
#include <stdint.h>

/* Written while no thief is about; thieves only read it. */
struct rt_victims_order {
    uint32_t count;                  /* Ps */
    uint32_t coprimes_count;         /* at least 1, and at least 2 from 3 Ps on */
    uint32_t coprimes[RT_PROCS_MAX]; /* the strides, ascending from 1 */
};

/* One search. The thief's own. */
struct rt_victims_walk {
    uint32_t count;
    uint32_t stride;
    uint32_t at;   /* the next to visit */
    uint32_t left; /* visits to go */
};

/* Sets the order up for count Ps, 1 to RT_PROCS_MAX. */
static inline void rt_victims_init(struct rt_victims_order *order, uint32_t count) {
    rt_check(count >= 1 && count <= RT_PROCS_MAX);
    order->count = count;
    order->coprimes_count = 0;
    for (uint32_t stride = 1; stride <= count; stride++) {
        if (rt_gcd(stride, count) == 1) {
            order->coprimes[order->coprimes_count++] = stride;
        }
    }
}

/* Begins a search. The numbers below count * coprimes_count give all the walks there are,
   each once; larger ones give them again. */
static inline struct rt_victims_walk rt_victims_begin(
    const struct rt_victims_order *order, uint32_t random) {
    uint32_t stride = random / order->count % order->coprimes_count;
    return (struct rt_victims_walk){
        .count = order->count,
        .stride = order->coprimes[stride],
        .at = random % order->count,
        .left = order->count,
    };
}

/* Puts the number of the next P to visit into *p; false once all have been visited. */
static inline bool rt_victims_next(struct rt_victims_walk *w, uint32_t *p) {
    if (w->left == 0) {
        return false;
    }
    w->left--;
    *p = w->at;
    w->at += w->stride;
    if (w->at >= w->count) {
        w->at -= w->count; /* once is enough: the stride is at most count */
    }
    return true;
}

#endif
