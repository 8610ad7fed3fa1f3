/* SPDX-License-Identifier: MIT */
/* In and out of the runtime: what every public function begins and ends with. */
#ifndef RT_SCHED_ENTER_H
#define RT_SCHED_ENTER_H

/*
 * Inside. ('Inside') A thread is inside the runtime from rt_enter() to rt_leave(), and
 * while it schedules. Inside it uses its P and holds locks; outside it runs the program's
 * code, which needs no P, so that there the P can be taken away from it without its doing
 * anything: by the monitor, because the thread sleeps in the kernel or has announced that
 * it would, and by a signal handler on the thread itself, because others want their turn.
 * When the thread comes to its next call, it has to get a P first.
 *
 *     thread that enters                     monitor that wants its P
 *     [S] inside := 1                        [S] asked: none -> claimed (RMW)
 *         fence(compiler)                        membarrier
 *     [L] asked                              [L] inside
 *         claimed: none (RMW), go on             0: claimed -> taken (RMW): it has the P
 *         taken:   get a P                       else, or if that fails: -> none (RMW)
 *
 * If the thread does not see the claim, its load of asked comes before the membarrier, and
 * so does its store to inside, which the monitor then sees; unless the thread has left
 * since, and its next entry sees the claim. If it does see it, one of the two changes
 * asked first, and the other finds that it did. What the thread did with its P is
 * published by the store in rt_leave(). The thread pays two stores and a load.
 *
 * Depth. Brackets nest as long as nobody parks between the inner ones: every context that
 * is switched away from is inside exactly once, and so is every one that is switched to.
 * So a switch need not touch the count, even if it ends on another M.
 *
 * Asked to yield. Who enters with RT_ASKED_YIELD set and nothing locked, at the outermost
 * bracket, yields first.
 */
#include "base/atomic.h"
#include "base/compiler.h"
#include "base/die.h"
#include "sched/foreign.h"
#include "sched/m.h"

enum rt_asked {
    RT_ASKED_CLAIMED =
        1,              /* the monitor is about to take the P, if the thread is outside */
    RT_ASKED_TAKEN = 2, /* it has */
    RT_ASKED_CLAIM = RT_ASKED_CLAIMED | RT_ASKED_TAKEN,
    RT_ASKED_YIELD = 4,   /* others want its P */
    RT_ASKED_FORKED = 8,  /* this is a child process, which has no other thread */
    RT_ASKED_FENCE = 16,  /* for good: a real fence is needed, for want of membarrier */
    RT_ASKED_SIGNAL = 32, /* a signal has been sent to make it yield: see preempt.c */
};

/* What a new M finds there. */
uint32_t rt_enter_asked_at_start(void);

struct rt_m *rt_enter_slow(struct rt_m *m);

/* The outermost bracket, for what is called often, and for all that may park: two plain
   stores. A goroutine, on its own M. Returns the M that it is on then. */
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
    /* release: what was done with the P. Pairs with the monitor's look: retake.c. */
    rt_store_rel(&m->inside, 0);
}

/* One that may be an inner one. */
static inline struct rt_m *rt_m_enter_nested(struct rt_m *m) {
    /* relaxed, all: as above */
    rt_store_rlx(&m->inside, rt_load_rlx(&m->inside) + 1);
    rt_fence_compiler();
    if (unlikely(rt_load_rlx(&m->asked) != 0)) {
        return rt_enter_slow(m);
    }
    return m;
}

static inline void rt_m_leave_nested(struct rt_m *m) {
    rt_store_rel(&m->inside, rt_load_rlx(&m->inside) - 1); /* release: as above */
}

/* Any thread; may be nested. */
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

/* True on a thread of the runtime that is outside: what a signal handler may act on. */
static inline bool rt_m_is_outside(const struct rt_m *m) {
    return rt_load_rlx(&m->inside) == 0; /* relaxed: its own, or a hint */
}

#endif
