/* SPDX-License-Identifier: MIT */
/* Calls that may block their thread, announced by the program; and the slow path of
   entering the runtime, by which a thread that lost its P gets one again. */
#include "base/die.h"
#include "sched/syscall/enter.h"
#include "sched/park.h"
#include "sched/pending.h"
#include "sched/sysmon/preempt.h"
#include "sched/sysmon/sysmonnote.h"
#include "sched/sched.h"
#include "sched/thread/fork.h"
#include "sched/thread/startm.h"
#include "sched/thread/wakep.h"
#include "sched/tuning.h"

#include <tuco/go.h>

/* Entering: a bit in m->asked is set, see enum rt_asked in enter.h. */

void rt_m_drop_taken(struct rt_m *m) {
    m->p = NULL; /* not rt_releasep(): the P may be another M's by now */
    /* acquire: what sysmon did before it took the P. Pairs with the compare-and-swap in
       take_claimed() in retake.c. */
    rt_and_acqrel(&m->asked, ~(uint32_t)RT_ASKED_CLAIM);
    rt_preempt_answered(m); /* a request to yield was for that P */
}

/* The P was taken. Gets an idle P, or puts the goroutine at the end of the global queue.
   Returns the M that the goroutine is on afterwards. */
static struct rt_m *get_p(struct rt_m *m) {
    rt_m_drop_taken(m);
    struct rt_p *p = rt_pidleget();
    if (p == NULL) {
        rt_yield_without_p(m);
        return arch_self();
    }
    rt_acquirep(m, p);
    if (rt_m_is_reserved(m)) {
        rt_attention_set(p, RT_ATTENTION_LOCKED);
    }
    rt_sched_attach(); /* sc: after it has a P. Pairs with detached_now() in deadlock.c. */
    rt_sysmon_poke();
    return m;
}

/* Withdraws sysmon's claim before sysmon has taken the P. False: sysmon was faster, or
   another bit has changed. */
static bool claim_withdraw(struct rt_m *m, uint32_t asked) {
    /* acq_rel: decides against the compare-and-swap in take_claimed() in retake.c. */
    return rt_cas_acqrel(&m->asked, &asked, asked & ~(uint32_t)RT_ASKED_CLAIM);
}

struct rt_m *rt_enter_slow(struct rt_m *m) {
    if (!rt_fence_reaches_all) {
        /* fence(sc): inside before asked. Pairs with rt_fence_all_threads() in take_p() in
           retake.c. */
        rt_fence_sc();
    }
    for (;;) {
        /* acquire: what sysmon did before. Pairs with the compare-and-swap in
           take_claimed() in retake.c. */
        uint32_t asked = rt_load_acq(&m->asked);
        if ((asked & RT_ASKED_FORKED) != 0) {
            rt_fork_die();
        }
        if ((asked & RT_ASKED_TAKEN) != 0) {
            m = get_p(m);
        } else if ((asked & RT_ASKED_CLAIMED) != 0) {
            claim_withdraw(m, asked);
        } else if ((asked & RT_ASKED_YIELD) != 0 && rt_preempt_may(m)) {
            if (rt_preempt_take(m)) {
                rt_yield_asked(m);
                m = arch_self();
            }
        } else {
            return m;
        }
    }
}

/* Announced calls */

/* Sysmon sleeps for longer than such a call should keep a P that others wait for. Once
   awake, it looks often as long as calls block here. */
static RT_NOINLINE void wake_sysmon(void) {
    rt_store_rlx(&rt_sysmon_drowsy, 0); /* relaxed: one wake-up is enough */
    rt_sysmon_wake();
}

/* The last announced call of this goroutine blocked, so it gives its P up before this
   one: to a spare M if goroutines wait, otherwise to the idle Ps, where the next thread
   that returns from the kernel finds it. Sysmon need not retake it later. */
static RT_NOINLINE void give_p_up(struct rt_m *m) {
    m = rt_m_enter(m);
    m->gave_up_ns = os_now();
    rt_sched_detach();
    struct rt_p *p = rt_releasep(m);
    /* acq_rel: the same state as after a retake by sysmon, see 'Inside' in enter.h. */
    rt_or_acqrel(&m->asked, RT_ASKED_TAKEN);
    rt_handoffp(p);
    rt_m_leave(m);
}

/* The goroutine lost its P during the call, or gave it up: decides whether it gives its P
   up at the next call. */
static RT_NOINLINE void come_back(struct rt_m *m, struct rt_g *g) {
    bool was_short = m->gave_up_ns != 0 && os_now() - m->gave_up_ns < RT_CALL_SHORT_NS;
    m->gave_up_ns = 0;
    if (was_short) {
        g->flags &= (uint8_t)~RT_G_FLAG_BLOCKS;
    } else {
        g->flags |= RT_G_FLAG_BLOCKS;
    }
    rt_m_leave(rt_m_enter(m));
}

/* Step 1: counts the call in m and g, so that sysmon sees it. */
static RT_INLINE void announce_call(struct rt_m *m, struct rt_g *g) {
    g->flags |= RT_G_FLAG_RESET_AT_END;
    /* relaxed, all: hints for sysmon, which checks again before it acts */
    rt_store_rlx(&m->blocks, rt_load_rlx(&m->blocks) + 1);
    rt_store_rlx(&g->blocking, (uint16_t)(rt_load_rlx(&g->blocking) + 1));
}

/* False: this is a nested call, or the runtime ends, or the P was taken. */
static RT_INLINE bool has_p(const struct rt_m *m) {
    /* relaxed: exact on its own thread, or seen at the next entry */
    return likely(m->p != NULL && (rt_load_rlx(&m->asked) & RT_ASKED_TAKEN) == 0);
}

/* Step 2: whether g gives p up before the call. Sysmon may have taken p by now: then p is
   another M's, and all of this a hint, here and in sysmon_oversleeps(). */
static RT_INLINE bool should_give_up(const struct rt_g *g, const struct rt_p *p) {
    if (likely((g->flags & RT_G_FLAG_BLOCKS) == 0)) {
        return false;
    }
    /* A P with armed timers cannot be idle without an M. */
    return rt_pending_for(p) ? rt_midle_count() > 0 : !rt_clock_is_armed(&p->clock);
}

/* Step 3: whether sysmon would retake p too late for the goroutines that wait for it. */
static RT_INLINE bool sysmon_oversleeps(const struct rt_p *p) {
    return (rt_load_rlx(&rt_sysmon_drowsy) & RT_SYSMON_IGNORES_CALLS) != 0 &&
           unlikely(rt_pending_for(p));
}

/* The P stays with the thread, unless the goroutine gives it up here. Sysmon retakes it if
   the call lasts and other goroutines wait: see 'Inside' in enter.h, and retake.c. */
void tuco_blocking_enter(void) {
    struct rt_m *m = arch_self();
    if (m == NULL) {
        return;
    }
    struct rt_g *g = rt_m_g(m);
    announce_call(m, g);
    if (!has_p(m)) {
        return;
    }
    const struct rt_p *p = m->p;
    if (should_give_up(g, p)) {
        give_p_up(m);
    } else if (sysmon_oversleeps(p)) {
        wake_sysmon();
    }
}

void tuco_blocking_exit(void) {
    struct rt_m *m = arch_self();
    if (m == NULL) {
        return;
    }
    struct rt_g *g = rt_m_g(m);
    uint16_t depth = rt_load_rlx(&g->blocking); /* relaxed: its own */
    if (unlikely(depth == 0)) {
        rt_panic("tuco_blocking_exit without tuco_blocking_enter");
    }
    /* relaxed: as in tuco_blocking_enter() */
    rt_store_rlx(&g->blocking, (uint16_t)(depth - 1));
    /* relaxed: exact on its own thread, or seen at the entry */
    if (unlikely((rt_load_rlx(&m->asked) & RT_ASKED_TAKEN) != 0)) {
        come_back(m, g);
    } else {
        rt_m_leave(rt_m_enter(m)); /* gets a P if sysmon has just taken it */
    }
}

intptr_t tuco_blocking(intptr_t (*fn)(void *), void *arg) {
    tuco_blocking_enter();
    intptr_t result = fn(arg);
    tuco_blocking_exit();
    return result;
}
