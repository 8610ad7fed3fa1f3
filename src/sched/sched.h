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
#include "sched/victims.h"

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
    uint32_t procs;
    struct rt_p *ps; /* array of procs */
    struct rt_topology topology;
    struct rt_victims_order victims;
    bool lingering; /* idle Ms may watch their note for a moment before they sleep */
    bool spare_cpu; // fewer Ps than CPUs: a helper takes time from nobody
    int64_t started_ns;

    /* Atomic: enum rt_phase; written under the lifecycle lock. */
    rt_atomic(uint32_t) phase RT_CACHE_ALIGNED;

    /* Guards start, stop, the list of Ms, and the decision that nothing can happen any
       more. Outermost; held while a thread is started. */
    struct rt_lock lifecycle;
    struct rt_m *all_m; /* the lifecycle lock */

    /* Atomic: started by tuco_run, so that deadlock is reported. Read by foreign threads
       at any time. */
    rt_atomic(bool) has_main;

    /* Atomic. */
    rt_atomic(uint32_t) threads; /* Ms that exist */
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

static inline enum rt_phase rt_phase_now(void) {
    /* acquire: what was set up before the phase changed is seen. Pairs with the release
       in phase_set() in runtime.c. */
    return (enum rt_phase)rt_load_acq(&rt_sched.phase);
}

static inline bool rt_sched_has_main(void) {
    /* relaxed: asked again where it matters, under the lifecycle lock */
    return rt_load_rlx(&rt_sched.has_main);
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
