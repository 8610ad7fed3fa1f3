/* SPDX-License-Identifier: MIT */
/* Entering and leaving the runtime: the bracket around code that uses the P or the
   runtime's memory. */
#ifndef RT_SCHED_SYSCALL_ENTER_H
#define RT_SCHED_SYSCALL_ENTER_H

/*
 * Inside. ('Inside') A thread is inside the runtime from rt_enter() to rt_leave(), and
 * while it schedules. Inside, it uses its P and holds locks. Outside, it runs the
 * program's code, which needs no P. So a P can be taken from a thread that is outside
 * without its cooperation: by sysmon, if the thread sleeps in the kernel or has announced
 * a call that may block; or by a signal handler on the thread itself, if other goroutines
 * wait for the P. At its next call into the runtime the thread has to get a P first.
 *
 *     thread that enters                     sysmon, which wants its P
 *     [S] inside := 1                        [S] asked: none -> claimed (RMW)
 *         fence(compiler)                        membarrier
 *     [L] asked                              [L] inside
 *         claimed: none (RMW), go on             0: claimed -> taken (RMW): it has the P
 *         taken:   get a P                       else, or if that fails: -> none (RMW)
 *
 * If the thread does not see the claim, its load of asked precedes the membarrier. So does
 * its store to inside, which sysmon then sees; unless the thread has left since, and then
 * its next entry sees the claim. If the thread sees the claim, the RMWs on asked decide:
 * the second one finds what the first one did. The store in rt_leave() publishes what the
 * thread did with its P. An entry and its exit cost two stores and a load.
 *
 * Depth. Entries nest as long as no goroutine parks in a nested one: every context that is
 * switched away from has depth 1, and so has every context that is switched to. So a
 * switch need not touch the depth, even if the goroutine resumes on another M.
 *
 * Asked to yield. A goroutine that enters with RT_ASKED_YIELD set, at depth 1, yields
 * first, unless it has called tuco_preempt_off().
 */
#include "base/atomic.h"
#include "base/compiler.h"
#include "base/die.h"
#include "base/fence.h"
#include "sched/m.h"

enum rt_asked {
    RT_ASKED_CLAIMED = 1, /* sysmon is about to take the P, if the thread is outside */
    RT_ASKED_TAKEN = 2,   /* sysmon has taken the P, or the thread has given it up */
    RT_ASKED_CLAIM = RT_ASKED_CLAIMED | RT_ASKED_TAKEN,
    RT_ASKED_YIELD = 4,   /* other goroutines wait for its P */
    RT_ASKED_FORKED = 8,  /* this is a child process: no other thread exists */
    RT_ASKED_FENCE = 16,  /* permanent: membarrier is missing, so entries need a fence */
    RT_ASKED_SIGNAL = 32, /* a signal was sent to make it yield: see preempt.c */
};

/* The initial value of m->asked. */
static inline uint32_t rt_enter_asked_at_start(void) {
    return rt_fence_reaches_all ? 0 : RT_ASKED_FENCE;
}

/* The slow paths, which need the rest of the scheduler: in entersyscall.c for an M, in
   foreign.c for a foreign thread. */
struct rt_m *rt_enter_slow(struct rt_m *m);
void rt_foreign_enter_slow(void);
void rt_foreign_leave_slow(void);

/* In entersyscall.c. The thread itself: its P was taken, and RT_ASKED_TAKEN is set. From
   here on it is an M without a P, and its goroutine is still detached. */
void rt_m_drop_taken(struct rt_m *m);

/* Enters at depth 1: for frequent calls, and required before a call that may park. Called
   by a goroutine with its own M. Returns the M that the goroutine is on afterwards. */
static inline struct rt_m *rt_m_enter(struct rt_m *m) {
    rt_assert(rt_load_rlx(&m->inside) == 0);
    rt_store_rlx(&m->inside, 1); /* relaxed, both: see 'Inside' */
    rt_fence_compiler();
    if (unlikely(rt_load_rlx(&m->asked) != 0)) {
        return rt_enter_slow(m);
    }
    return m;
}

static inline void rt_m_leave(struct rt_m *m) {
    rt_assert(rt_load_rlx(&m->inside) == 1);
    /* release: publishes what was done with the P. Pairs with the acquire in
       take_claimed() in retake.c. */
    rt_store_rel(&m->inside, 0);
}

/* The same at any depth. */
static inline struct rt_m *rt_m_enter_nested(struct rt_m *m) {
    /* relaxed, all: as in rt_m_enter() */
    rt_store_rlx(&m->inside, rt_load_rlx(&m->inside) + 1);
    rt_fence_compiler();
    if (unlikely(rt_load_rlx(&m->asked) != 0)) {
        return rt_enter_slow(m);
    }
    return m;
}

static inline void rt_m_leave_nested(struct rt_m *m) {
    /* release: as in rt_m_leave() */
    rt_store_rel(&m->inside, rt_load_rlx(&m->inside) - 1);
}

/* Any thread, at any depth. */
static inline void rt_enter(void) {
    struct rt_m *m = arch_self();
    if (likely(m != NULL)) {
        rt_m_enter_nested(m);
    } else {
        rt_foreign_enter_slow();
    }
}

static inline void rt_leave(void) {
    struct rt_m *m = arch_self();
    if (likely(m != NULL)) {
        rt_m_leave_nested(m);
    } else {
        rt_foreign_leave_slow();
    }
}

/* Whether m is outside: exact on its own thread, for example in a signal handler. */
static inline bool rt_m_is_outside(const struct rt_m *m) {
    /* relaxed: exact on its own thread, else a hint */
    return rt_load_rlx(&m->inside) == 0;
}

#endif
