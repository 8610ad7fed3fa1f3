/* SPDX-License-Identifier: MIT */
/* What the runtime has one of: its Ps, its phase, its counts. */
#ifndef RT_SCHED_SCHED_H
#define RT_SCHED_SCHED_H

#include "base/atomic.h"
#include "base/compiler.h"
#include "base/lock.h"
#include "config.h"
#include "sched/m.h"
#include "sched/p.h"
#include "sched/topology.h"

/*
 *   stopped --start--> running --all ended, or main returned--> stopping
 *      ^                                                          |   |
 *      +--------------------- joined, freed ----------------------+   |
 *                          abandoned <--- goroutines left behind -----+
 */
enum rt_phase {
    RT_STOPPED,
    RT_RUNNING,
    RT_STOPPING,  /* no goroutine is resumed any more, and foreign threads start none */
    RT_ABANDONED, /* as stopping, for ever: main returned and left goroutines behind */
};

struct rt_sched {
    /* Immutable while the runtime runs. */
    struct rt_config config;
    struct rt_p *ps; /* room for RT_PROCS_MAX: see procs.c */
    struct rt_topology topology;
    int64_t started_ns;

    /* Atomic: written under the lock in procs.c, whose essay says what they are. */
    rt_atomic(uint32_t) procs; /* Ps that are wanted */
    rt_atomic(uint32_t) made; /* Ps that were ever used: the first so many of the array */
    rt_atomic(uint32_t) ps_end; /* those from here on are not in use */
    rt_atomic(bool) lingering;  /* idle Ms may watch their note before they sleep */
    rt_atomic(bool) spare_cpu;  /* fewer Ps than CPUs: a helper takes time from nobody */

    /* Atomic: enum rt_phase; written under the lifecycle lock. */
    rt_atomic(uint32_t) phase RT_CACHE_ALIGNED;

    /* Guards start, stop, the list of Ms, and the decision that nothing can happen any
       more. Outermost; not held while a thread is started. */
    struct rt_lock lifecycle;
    struct rt_m *all_m;     /* the lifecycle lock */
    struct rt_m *adopted_m; /* the lifecycle lock: of the thread in tuco_run(), or NULL */
    struct rt_m *ended_m;   /* the lifecycle lock: of threads that have to be joined */
    struct rt_m *dead_m; /* the lifecycle lock: of threads that have ended, for reuse */
    uint32_t next_m;     /* the lifecycle lock: number of the next new M */

    /* Atomic: started by tuco_run, so that deadlock is reported. Read by foreign threads
       at any time. */
    rt_atomic(bool) has_main;

    /* Atomic. */
    rt_atomic(uint32_t) threads; /* Ms that exist */
    rt_atomic(int) max_threads;
    /* goroutines that could run, or do, and have neither a P nor a place in a queue: their
       P was taken while they were outside, see enter.h */
    rt_atomic(uint64_t) away; /* and, times RT_AWAY_DEPARTED, how often one has left */
    /* of these, those that have left the loop; futex: see thread.c */
    rt_atomic(uint32_t) gone;
    /* goroutines that wait for stack memory: see spawn.c */
    rt_atomic(uint32_t) starved;
    rt_atomic(uint64_t) next_id;
    rt_atomic(uint64_t) foreign_spawned; /* goroutines started by threads without a P */
    struct rt_clock monitor_clock;       /* of the timers of threads without a P */

    /* Main goroutine; written before the phase changes, read after. */
    struct rt_g *main_g;
    rt_atomic(uint32_t) main_exited; /* it called tuco_exit */
    int main_result;
};

extern struct rt_sched rt_sched;

#define RT_AWAY_DEPARTED (UINT64_C(1) << 32)

/* A goroutine is about to be without a P and in no queue; and is no longer. sc: before it
   gives up the one, and after it has the other. Pair with rt_quiesce_check(). */
static inline void rt_sched_depart(void) {
    rt_add_sc(&rt_sched.away, RT_AWAY_DEPARTED + 1);
}

static inline void rt_sched_return(void) {
    rt_sub_sc(&rt_sched.away, 1);
}

static inline enum rt_phase rt_phase_now(void) {
    /* acquire: what was set up before the phase changed is seen. Pairs with the release
       in phase_set() in runtime.c. */
    return (enum rt_phase)rt_load_acq(&rt_sched.phase);
}

static inline bool rt_sched_has_main(void) {
    /* relaxed: asked again where it matters, under the lifecycle lock */
    return rt_load_rlx(&rt_sched.has_main);
}

/* How many Ps are wanted. */
static inline uint32_t rt_sched_procs(void) {
    return rt_load_rlx(&rt_sched.procs); /* relaxed: a number that may change any time */
}

/* For who looks at all Ps that may have something: the first so many of the array. */
static inline uint32_t rt_sched_ps_end(void) {
    /* acquire: they have been made. Pairs with the release in procs.c. */
    return rt_load_acq(&rt_sched.ps_end);
}

/* For who sums up what Ps have counted, those that are not in use any more included. */
static inline uint32_t rt_sched_made(void) {
    return rt_load_acq(&rt_sched.made); /* acquire: likewise */
}

static inline bool rt_sched_lingering(void) {
    return rt_load_rlx(&rt_sched.lingering); /* relaxed: a matter of speed */
}

/* How many goroutines are alive: exact when no goroutine runs, else a moment old. */
uint64_t rt_sched_live(void);

/* Reserves count goroutine numbers and returns the first. */
uint64_t rt_sched_reserve_ids(uint64_t count);

/* True if a timer is armed, and how often timers have been fired: see quiesce.c. */
bool rt_sched_timers_armed(void);
uint32_t rt_sched_timer_firings(void);

/* Sets attention bits on all Ps, so that their owners leave the fast path at their next
   scheduling. */
void rt_sched_ask_attention(uint32_t bits);

#endif
