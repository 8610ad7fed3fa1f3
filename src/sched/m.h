/* SPDX-License-Identifier: MIT */
/* M: one thread of the operating system that runs goroutines. */
#ifndef RT_SCHED_M_H
#define RT_SCHED_M_H

#include "base/atomic.h"
#include "base/compiler.h"
#include "base/rand.h"
#include "os/os.h"
#include "sched/exceptions.h"
#include "sched/g.h"

struct rt_p;

/* Called right after a switch, on the stack of the next context: see 'Commit' in park.h. */
typedef void rt_commit_fn(struct rt_m *m, struct rt_g *g, void *arg);

/* Replaces the thread id of a thread that is about to end: the kernel may reuse the id. */
#define RT_M_ENDED (-1)

struct rt_m {
    /* Atomic: written by the thread itself; read by sysmon and by the thread that ends the
       runtime. */
    rt_atomic(struct rt_g *) g; /* the running goroutine, or &g0; read with rt_m_g() */
    rt_atomic(int) number;      /* the kernel's thread id; 0: not begun; RT_M_ENDED */

    /* Atomic: see 'Inside' in enter.h. */
    rt_atomic(uint32_t) inside; /* nesting depth in the runtime; 0: outside */
    rt_atomic(uint32_t) asked;  /* enum rt_asked: requests by other threads */

    /* Atomic: written by sysmon before it requests a yield. The value of rt_p_switches(): a
       later one means that another goroutine runs, and the request is void. */
    rt_atomic(uint32_t) asked_at;
    rt_atomic(bool) asked_over; /* the slice is over, or will be at sysmon's next look */

    /* The thread itself. */
    int64_t gave_up_ns; /* when it gave up its P before a blocking call; 0: it did not */

    /* Atomic: number of announced blocking calls. Written by the thread itself, read by
       sysmon. */
    rt_atomic(uint32_t) blocks;

    /* The thread itself; while it sleeps, the owner of its note (note.h). */
    struct rt_p *p;      /* NULL: it needs a P before it can run goroutines */
    bool spinning;       /* a spinning M, counted in the idle word */
    struct rt_g *to_run; /* the locked goroutine that was handed to it with the P */

    /* The thread itself. */
    struct rt_g *locked_g; /* the only goroutine that it may run: see lockedm.h */
    uint32_t locks;        /* calls of tuco_lock_thread() not yet undone by locked_g */
    bool ends;             /* locked_g has ended; the thread ends too */
    bool adopted;          /* the thread that called tuco_run() */
    bool main_only;        /* adopted, and runs only main: see findrunnable.c */
    /* the address of the thread's errno; fetched once, because compilers cache it */
    int *errno_address;
    struct rt_exceptions *exceptions; /* the thread's C++ exception state; NULL: no C++ */

    /* The thread itself: passed from one context to the next across a switch. */
    rt_commit_fn *commit; /* NULL: nothing to do */
    struct rt_g *commit_g;
    void *commit_arg;

    /* The thread itself. */
    struct rt_rand rand;
    uint32_t migrate_tries; /* goroutines put back in a row: see findrunnable.c */
    /* how late its sleeps end, up to a bound: see 'Timers' in stopm.c */
    int64_t oversleep_ns;

    /* Immutable. */
    uint32_t id;
    /* Written by the thread itself before it stores its number, then immutable. */
    os_thread thread;
    /* Atomic: written by the thread itself before it first schedules; read by sysmon. True:
       it has an alternate signal stack, so preemption signals may be sent to it. */
    rt_atomic(bool) interruptible;
    /* The thread itself: written when it becomes an M, used until it is none any more. */
    void *signal_stack;           /* to be removed then */
    unsigned long timer_slack_ns; /* to be restored then */
    bool had_blocked;             /* had SIGURG blocked before it became an M */
    struct rt_stack stack;        /* its own, for reports and sanitizers */

    /* rt_sched.lifecycle: link in the list of all, ended or dead Ms. */
    struct rt_m *all_next;

    /* Atomic: written by the thread itself; read under the lock in lockedm.c and by the
       thread that ends the runtime. */
    rt_atomic(bool) stepped_aside; /* preempted: it waits in a signal handler */
    /* The thread itself before it enlists as a waiting M; then read under the lock of that
       list, in startm.c or lockedm.c. */
    int cpu; /* where it went to sleep: see 'Where' in note.h */
    /* The thread itself. */
    bool hands_p_off; /* it hands its P to another M and then sleeps */
    /* The lock in startm.c. */
    struct rt_m *midle_next; /* link in the list of spare Ms */
    /* The lock in lockedm.c. */
    bool waits_lockedm;    /* it waits for a P to run its locked goroutine */
    bool stopped_yielding; /* its goroutine was preempted in sched_yield() */

    /* Sysmon, from when it has taken the M's P: see 'Detached' in retake.c. */
    struct {
        struct rt_m *next;
        bool listed;
        int64_t cpu_ns; /* the thread's CPU time at the last look */
        int64_t ran_ns; /* of that, without a P and since the last signal */
        /* the goroutine that computed without a P, only to be compared; NULL: none */
        const struct rt_g *computes;
    } detached;

    /* The thread that ends the runtime: this M's CPU time at the first and the last look,
       and how many looks found it unchanged. */
    int64_t first_cpu_ns;
    int64_t last_cpu_ns;
    int looks_still;

    /* Atomic: sleep and wake-up, see note.h. */
    rt_atomic(uint32_t) note RT_CACHE_ALIGNED;

    /* The thread itself: the scheduler's context, on the thread's own stack. */
    struct rt_g g0 RT_CACHE_ALIGNED;
};

/* The thread itself. Reports whether the thread runs only one goroutine. */
static inline bool rt_m_is_reserved(const struct rt_m *m) {
    return m->locked_g != NULL || m->main_only;
}

/* relaxed: the thread's own, or the reader only compares it with &g0. */
static inline struct rt_g *rt_m_g(const struct rt_m *m) {
    return rt_load_rlx(&m->g);
}

/* For sysmon, which dereferences it. Safe because descriptors are never unmapped while the
   runtime runs. */
static inline struct rt_g *rt_m_g_seen(const struct rt_m *m) {
    /* acquire: sees the descriptor filled. Pairs with rt_m_set_g(). */
    return rt_load_acq(&m->g);
}

static inline void rt_m_set_g(struct rt_m *m, struct rt_g *g) {
    /* release: publishes the descriptor. Pairs with rt_m_g_seen(). */
    rt_store_rel(&m->g, g);
}

#endif
