/* SPDX-License-Identifier: MIT */
/* The global state of the runtime: its Ps, its phase, its counts. */
#ifndef RT_SCHED_SCHED_H
#define RT_SCHED_SCHED_H

#include "base/atomic.h"
#include "base/compiler.h"
#include "base/lock.h"
#include "config.h"
#include "sched/m.h"
#include "sched/p.h"
#include "cpu/topology.h"

/*
 *   stopped --start--> running --all ended, or main returned--> stopping
 *      ^                                                          |   |
 *      +--------------------- joined, freed ----------------------+   |
 *                          abandoned <--- goroutines left behind -----+
 */
enum rt_phase {
    RT_STOPPED,
    RT_RUNNING,
    RT_STOPPING,  /* no goroutine is resumed; foreign threads cannot spawn */
    RT_ABANDONED, /* as stopping, for ever: main returned and left goroutines behind */
};

struct rt_sched {
    /* Immutable while the runtime runs. */
    struct rt_config config;
    struct rt_p *ps; /* RT_PROCS_MAX entries: see procresize.c */
    struct rt_topology topology;
    int64_t started_ns;

    /* Atomic: written under the lock in procresize.c, which explains them. */
    rt_atomic(uint32_t) procs;  /* wanted number of Ps */
    rt_atomic(uint32_t) made;   /* ps[0..made) have been in use at some time */
    rt_atomic(uint32_t) ps_end; /* no P from ps[ps_end] on is in use */
    rt_atomic(uint32_t) cpus;   /* CPUs that the process may use, at the last resize */
    rt_atomic(bool) lingering;  /* idle Ms may watch their note before they sleep */
    rt_atomic(bool) spare_cpu;  /* fewer Ps than CPUs: helpers have a CPU of their own */

    /* Atomic: enum rt_phase; written under the lifecycle lock. */
    rt_atomic(uint32_t) phase RT_CACHE_ALIGNED;

    /* Guards start, stop, the lists of Ms, and rt_checkdead()'s decision. Outermost lock;
       not held while a thread is started. */
    struct rt_lock lifecycle;
    struct rt_m *all_m;     /* lifecycle */
    struct rt_m *adopted_m; /* lifecycle: the thread in tuco_run(), or NULL */
    struct rt_m *ended_m;   /* lifecycle: threads that have ended and must be joined */
    struct rt_m *dead_m;    /* lifecycle: joined, free for reuse */
    uint32_t next_m;        /* lifecycle: id of the next new M */

    /* Atomic: written by the thread that starts the runtime, before the phase changes;
       foreign threads read it at any time. True: tuco_run() started the runtime, so
       deadlocks are reported. */
    rt_atomic(bool) has_main;

    /* Atomic: any thread. */
    rt_atomic(uint32_t) threads; /* Ms that exist */
    rt_atomic(int) max_threads;
    /* low half: goroutines with neither a P nor a place in a queue, because their P was
       taken or given up while they were outside: see enter.h */
    rt_atomic(uint64_t) detached; /* high half (RT_DETACH_EVENT): how many ever were */
    /* Ms that have left rt_schedule() at the end of the runtime; a futex: see thread.c */
    rt_atomic(uint32_t) gone;
    /* goroutines that wait for stack memory: see starved.h */
    rt_atomic(uint32_t) starved;
    rt_atomic(uint64_t) next_id;
    rt_atomic(uint64_t) foreign_spawned; /* goroutines spawned by threads without a P */
    struct rt_clock sysmon_clock;        /* timers of threads without a P */

    /* Main goroutine. main_g is set before the runtime runs; main sets the others before
       the phase changes. */
    struct rt_g *main_g;
    rt_atomic(uint32_t) main_exited; /* main called tuco_exit() */
    int main_result;
};

RT_EXTERN struct rt_sched rt_sched;

#define RT_DETACH_EVENT (UINT64_C(1) << 32)

/* Count a goroutine that is about to have neither a P nor a place in a queue, and one that
   has one again. sc: before it gives up its P, and after it has a P or is enqueued. Pair
   with the acquire in detached_now() in deadlock.c. */
static inline void rt_sched_detach(void) {
    rt_add_sc(&rt_sched.detached, RT_DETACH_EVENT + 1);
}

static inline void rt_sched_attach(void) {
    rt_sub_sc(&rt_sched.detached, 1);
}

static inline enum rt_phase rt_phase_now(void) {
    /* acquire: sees what was set up before the phase changed. Pairs with the release in
       phase_set() in runtime.c. */
    return (enum rt_phase)rt_load_acq(&rt_sched.phase);
}

static inline bool rt_sched_has_main(void) {
    /* relaxed: where it matters the caller holds the lifecycle lock */
    return rt_load_rlx(&rt_sched.has_main);
}

/* The wanted number of Ps. */
static inline uint32_t rt_sched_procs(void) {
    return rt_load_rlx(&rt_sched.procs); /* relaxed: may change at any time anyway */
}

/* All Ps that may be in use are in ps[0..n). */
static inline uint32_t rt_sched_ps_end(void) {
    /* acquire: sees these Ps made. Pairs with the release in raise_locked() in
       procresize.c. */
    return rt_load_acq(&rt_sched.ps_end);
}

/* All Ps whose counters have to be summed, retired ones included, are in ps[0..n). */
static inline uint32_t rt_sched_made(void) {
    /* acquire: sees these Ps made. Pairs with the release in make_up_to(), procresize.c. */
    return rt_load_acq(&rt_sched.made);
}

static inline bool rt_sched_lingering(void) {
    return rt_load_rlx(&rt_sched.lingering); /* relaxed: only a matter of speed */
}

/* How many goroutines have ended. */
uint64_t rt_sched_ended(void);

/* How many goroutines are alive: exact when no goroutine runs, otherwise an estimate. */
uint64_t rt_sched_live(void);

/* Reserves count goroutine ids and returns the first. */
uint64_t rt_sched_reserve_ids(uint64_t count);

/* Whether a timer is armed, and how many batches of timers have fired: see deadlock.c. */
bool rt_sched_timers_armed(void);
uint32_t rt_sched_timer_firings(void);

/* How often all Ps have switched to a goroutine. The same at two looks: none has in
   between. */
uint64_t rt_sched_switches(void);

/* Lifecycle lock. How many Ms have a thread that has begun and not ended. */
uint32_t rt_sched_ms_locked(void);

/* Sets attention bits on all Ps that may be in use, RT_ATTENTION_STOP on all that were
   made: their owners leave the fast path at their next scheduling. */
void rt_sched_ask_attention(uint32_t bits);

#endif
