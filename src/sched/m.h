/* SPDX-License-Identifier: MIT */
/* M: one thread of the operating system that runs goroutines. */
#ifndef RT_SCHED_M_H
#define RT_SCHED_M_H

#include "base/atomic.h"
#include "base/compiler.h"
#include "base/rand.h"
#include "os/os.h"
#include "sched/g.h"

struct rt_p;

/* Run right after a switch, on the stack of the next context: see 'Commit' in park.h. */
typedef void rt_commit_fn(struct rt_m *m, struct rt_g *g, void *arg);

struct rt_m {
    /* Atomic: written by the thread itself, read by who waits for it to end. */
    rt_atomic(struct rt_g *) g; /* what runs on it: a goroutine, or &g0; rt_m_g() */
    rt_atomic(int) number;      /* the kernel's; 0: it has not begun */

    /* The thread itself. */
    struct rt_p *p;
    /* the thread's errno; asked for once, because a compiler may cache it */
    int *errno_address;

    /* The thread itself: handed from one context to the next across a switch. */
    rt_commit_fn *commit; /* NULL: nothing to do */
    struct rt_g *commit_g;
    void *commit_arg;

    struct rt_rand rand;
    bool spinning;          /* counted in the idle word as looking for work */
    uint32_t migrate_tries; /* goroutines put back in a row: see loop.c */

    /* Immutable after the thread has started. */
    uint32_t id;
    os_thread thread;
    void *signal_stack;
    unsigned long timer_slack_ns; /* that it had before it was an M */
    /* describes the thread's own stack, for reports and sanitizers */
    struct rt_stack stack;

    /* The lifecycle lock: all Ms. */
    struct rt_m *all_next;

    /* Who waits for it to be gone: its CPU time at the first look, and in how many looks
       it was asleep, or the kernel did not tell. */
    int64_t first_cpu_ns;
    int looks_asleep;
    int looks_untold;

    /* Atomic: sleep and wake-up of an idle M, see 'Sleeping' in idle.c. */
    rt_atomic(uint32_t) note RT_CACHE_ALIGNED;

    /* The scheduler's context on this thread: looks for work when the running goroutine
       knows none. */
    struct rt_g g0 RT_CACHE_ALIGNED;
};

/* relaxed, both: others only look whether it runs a goroutine at all. */
static inline struct rt_g *rt_m_g(const struct rt_m *m) {
    return rt_load_rlx(&m->g);
}

static inline void rt_m_set_g(struct rt_m *m, struct rt_g *g) {
    rt_store_rlx(&m->g, g);
}

#endif
