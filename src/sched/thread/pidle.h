/* SPDX-License-Identifier: MIT */
/* The idle Ps: how many there are, which they are, and how many Ms spin. */
#ifndef RT_SCHED_THREAD_PIDLE_H
#define RT_SCHED_THREAD_PIDLE_H

/*
 * One word, the idle word, holds the number of Ps in use, of idle Ps, of spinning Ms, of
 * Ps set aside because no thread could be started for them, and the flag NEED. It changes
 * as a whole, so each change sees the whole state. Two sets say which Ps are idle: 'parked'
 * has those whose M sleeps with them, and is tried first; 'cold' has those without an M. A
 * bit is set before its P is counted idle, and cleared only by a thread that has taken one
 * from the count: so a thread that has counted down always finds a bit. (set_cold_aside()
 * in wakep.c clears the bit first, and restores it if it cannot count down.)
 *
 * This file only keeps the state and answers questions about it. wakep.c decides which P a
 * waker takes and which M it wakes, and has the essay.
 */
#include "base/atomic.h"
#include "base/compiler.h"
#include "sched/thread/pmask.h"
#include <stdbool.h>
#include <stdint.h>

struct rt_p;

/* The counts in the word. */
#define RT_PIDLE_ONE      UINT64_C(1)         /* idle Ps */
#define RT_PIDLE_SPIN_ONE (UINT64_C(1) << 16) /* spinning Ms */
/* Ps set aside because no thread could be started for them */
#define RT_PIDLE_ASIDE_ONE (UINT64_C(1) << 32)
/* a waker wanted a spinning M and found no idle P */
#define RT_PIDLE_NEED (UINT64_C(1) << 48)
/* Ps in use, idle or not */
#define RT_PIDLE_TOTAL_ONE (UINT64_C(1) << 49)
/* a waker may have relied on NEED without a fence: see 'Fences' in wakep.c */
#define RT_PIDLE_UNFENCED (UINT64_C(1) << 60)

static inline uint32_t rt_pidle_ps(uint64_t word) {
    return (uint32_t)(word & 0xffff);
}

static inline uint32_t rt_pidle_spinning(uint64_t word) {
    return (uint32_t)(word >> 16 & 0xffff);
}

static inline uint32_t rt_pidle_aside(uint64_t word) {
    return (uint32_t)(word >> 32 & 0xffff);
}

static inline uint32_t rt_pidle_total(uint64_t word) {
    return (uint32_t)(word >> 49 & 0x7ff);
}

/* Ps that are neither idle nor set aside: their Ms run goroutines or spin. */
static inline uint32_t rt_pidle_busy(uint64_t word) {
    return rt_pidle_total(word) - rt_pidle_ps(word) - rt_pidle_aside(word);
}

/* True if no P is idle, no M spins, and NEED says so to the next M that gives its P up: a
   waker has nothing to do. */
static inline bool rt_pidle_is_needed(uint64_t word) {
    return (word & (RT_PIDLE_NEED | 0xffffffff)) == RT_PIDLE_NEED;
}

/* True if a P is idle or an M spins. */
static inline bool rt_pidle_has_room(uint64_t word) {
    return (word & 0xffffffff) != 0;
}

/* Atomic: any thread, by RMW. */
RT_EXTERN struct rt_pidle_word { rt_atomic(uint64_t) word; } rt_pidle RT_CACHE_ALIGNED;

/* Which Ps are in which state. */
RT_EXTERN struct rt_pidle_masks {
    struct rt_pmask parked; /* idle, its M sleeps with it */
    struct rt_pmask cold;   /* idle, without an M */
    /* no thread could be started: sysmon tries again */
    struct rt_pmask aside;
    /* the starter finds an M for it; a spinning M is counted for it */
    struct rt_pmask wanted;
} rt_pidle_masks RT_CACHE_ALIGNED;

/* Once, at start, before any M exists: all Ps are idle and have no M. */
void rt_pidle_init(uint32_t procs);

/* True if that P was idle a moment ago. Thieves skip such a P. */
bool rt_pidle_has(uint32_t p_id);

/* True if all Ps are idle or set aside and no M spins: exact at one moment. */
bool rt_pidle_all(void);

/* For stopm.c. M of p. True: a waker has cleared the bit of p, and will wake the M. */
bool rt_pidle_is_claimed(const struct rt_p *p);

/* p comes into use, idle and without an M. The caller looks for work after it has added
   all Ps. */
void rt_pidle_add(struct rt_p *p);

/* A P that the caller holds goes out of use. */
void rt_pidle_remove(void);

/* How many Ps want a thread. */
uint32_t rt_pidle_wanted(void);

/* The caller has taken p by rt_pidle_take_wanted() and has no M for it. */
void rt_pidle_put_back_wanted(struct rt_p *p);

#endif
