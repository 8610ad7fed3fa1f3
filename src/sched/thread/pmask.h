/* SPDX-License-Identifier: MIT */
/* pMask: a set of Ps, one bit each. The thread that clears a bit owns the P. */
#ifndef RT_SCHED_THREAD_PMASK_H
#define RT_SCHED_THREAD_PMASK_H

#include "base/atomic.h"
#include "sched/p.h"
#include <stdbool.h>
#include <stdint.h>

#define RT_PMASK_WORDS (RT_PROCS_MAX / 64)

struct rt_pmask {
    rt_atomic(uint64_t) words[RT_PMASK_WORDS]; /* Atomic: any thread */
};

static inline void rt_pmask_set(struct rt_pmask *mask, uint32_t p_id) {
    /* release: publishes p->m and the note. Pairs with the acquire in rt_pmask_clear(). */
    rt_or_acqrel(&mask->words[p_id / 64], UINT64_C(1) << p_id % 64);
}

/* True if the bit was set: the caller owns the P. */
static inline bool rt_pmask_clear(struct rt_pmask *mask, uint32_t p_id) {
    uint64_t bit = UINT64_C(1) << p_id % 64;
    /* acquire: takes over the P. Pairs with the release in rt_pmask_set(). */
    return (rt_and_acqrel(&mask->words[p_id / 64], ~bit) & bit) != 0;
}

/* A hint. */
static inline bool rt_pmask_has(const struct rt_pmask *mask, uint32_t p_id) {
    /* relaxed: a hint; rt_pmask_clear() decides */
    return (rt_load_rlx(&mask->words[p_id / 64]) >> p_id % 64 & 1) != 0;
}

/* How many bits are set: a hint. */
uint32_t rt_pmask_count(const struct rt_pmask *mask);

/* Clears the lowest set bit other than but, and returns its number; -1: there is none. The
   lowest, so that few threads stay warm and the others sleep. */
int rt_pmask_take_any_but(struct rt_pmask *mask, uint32_t but);

static inline int rt_pmask_take_any(struct rt_pmask *mask) {
    return rt_pmask_take_any_but(mask, RT_PROCS_MAX /* excludes none */);
}

/* Before any thread uses it: the bits of the first procs Ps are set. */
void rt_pmask_init(struct rt_pmask *mask, uint32_t procs);

#endif
