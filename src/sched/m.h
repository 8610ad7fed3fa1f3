/* SPDX-License-Identifier: MIT */
/* M: one thread of the operating system that runs goroutines. */
#ifndef RT_SCHED_M_H
#define RT_SCHED_M_H

#include "base/atomic.h"
#include "base/compiler.h"
#include "base/rand.h"
#include "os/os.h"
#include "sched/crowd.h"
#include "sched/g.h"

struct rt_p;

/* Run right after a switch, on the stack of the next context: see 'Commit' in park.h. */
typedef void rt_commit_fn(struct rt_m *m, struct rt_g *g, void *arg);

/* Instead of the number of a thread that is about to end: the kernel may give that to
   another one. */
#define RT_M_ENDED (-1)

struct rt_m {
    /* Atomic: written by the thread itself, read by who waits for it to end. */
    rt_atomic(struct rt_g *) g; /* what runs on it: a goroutine, or &g0; rt_m_g() */
    rt_atomic(int) number;      /* the kernel's; 0: it has not begun; RT_M_ENDED */

    /* Atomic: see 'Inside' in enter.h. */
    rt_atomic(uint32_t) inside; /* how deep the thread is in the runtime; 0: not at all */
    rt_atomic(uint32_t) asked;  /* enum rt_asked: what others want of it */
    int64_t
        gave_up_ns; /* the thread itself: when it gave its P up to block; 0: it did not */
    /* how many calls have been announced to block; for the monitor */
    rt_atomic(uint32_t) blocks;

    /* The thread itself; while it sleeps, who owns its note. */
    struct rt_p *p;      /* NULL: it has to get one before it runs goroutines */
    bool spinning;       /* counted in the idle word as looking for work */
    struct rt_g *to_run; /* with the P it got this goroutine, which only it may run */

    /* The thread itself. */
    struct rt_g *locked_g; /* the only one that it may run: see bound.h */
    uint32_t locks;        /* how often that has called tuco_lock_thread() */
    bool ends;             /* that one has ended, and the thread with it */
    bool adopted;          /* the thread that called tuco_run() */
    /* the thread's errno; asked for once, because a compiler may cache it */
    int *errno_address;

    /* The thread itself: handed from one context to the next across a switch. */
    rt_commit_fn *commit; /* NULL: nothing to do */
    struct rt_g *commit_g;
    void *commit_arg;

    struct rt_rand rand;
    uint32_t migrate_tries; /* goroutines put back in a row: see loop.c */
    /* by how much it sleeps too long, up to a bound: see 'Timers' in rest.c */
    int64_t oversleep_ns;
    struct rt_crowd_watch crowd;

    /* Immutable after the thread has started. */
    uint32_t id;
    os_thread thread;
    void *signal_stack;
    /* Atomic: it has an alternate stack, so that signals may interrupt it */
    rt_atomic(bool) interruptible;
    unsigned long timer_slack_ns; /* that it had before it was an M */
    /* describes the thread's own stack, for reports and sanitizers */
    struct rt_stack stack;

    /* The lifecycle lock: all Ms. */
    struct rt_m *all_next;

    rt_atomic(bool) stepped_aside; /* it waits in a signal handler */
    int cpu;                       /* where it went to sleep: see 'Where' in note.h */
    bool gives_way;          /* the thread itself: it hands its P over, and then sleeps */
    bool brought;            /* who owns its note: it was, by os_thread_bring() */
    struct rt_m *spare_next; /* the lock of spare Ms: spare.c */
    bool waits_bound;        /* the lock of bound goroutines: bound.h */

    /* Who waits for it to be gone: its CPU time at the first look, and in how many looks
       it was asleep, or the kernel did not tell. */
    int64_t first_cpu_ns;
    int looks_asleep;
    int looks_untold;

    /* Atomic: sleep and wake-up of an idle M, see 'Sleeping' in rest.c. */
    rt_atomic(uint32_t) note RT_CACHE_ALIGNED;

    /* The scheduler's context on this thread: looks for work when the running goroutine
       knows none. */
    struct rt_g g0 RT_CACHE_ALIGNED;
};

/* relaxed: its own, or others only look whether it runs a goroutine at all. */
static inline struct rt_g *rt_m_g(const struct rt_m *m) {
    return rt_load_rlx(&m->g);
}

/* For the monitor, which looks into it: descriptors stay what they are. */
static inline const struct rt_g *rt_m_g_seen(const struct rt_m *m) {
    return rt_load_acq(&m->g); /* acquire: it has been made. Pairs with rt_m_set_g(). */
}

static inline void rt_m_set_g(struct rt_m *m, struct rt_g *g) {
    rt_store_rel(&m->g, g); /* release: pairs with rt_m_g_seen() */
}

#endif
