/* SPDX-License-Identifier: MIT */
/* Calls that block the thread, announced. */
#include "base/die.h"
#include "sched/enter.h"
#include "sched/find.h"
#include "sched/monitor.h"
#include "sched/sched.h"
#include "sched/spare.h"

#include <tuco/go.h>

/* A call that is over in less was not worth giving the P up for. */
#define SHORT_NS 20000

/* The monitor would not look for milliseconds, and others wait for this P: it is to look
   sooner, and then does as long as calls block here. */
static RT_NOINLINE void wake_monitor(void) {
    rt_store_rlx(&rt_monitor_drowsy, 0); /* relaxed: one wake-up is enough */
    rt_monitor_wake();
}

/* Who blocked last time is taken at its word: the P goes at once, to a spare M if others
   wait, or to be idle, where the next thread that comes back finds it; it need not be taken
   by the monitor some time later. */
static RT_NOINLINE void give_p_up(struct rt_m *m) {
    m = rt_m_enter(m);
    struct rt_p *p = m->p;
    m->gave_up_ns = os_now();
    rt_sched_depart();
    m->p = NULL;
    /* acq_rel: as if the monitor had taken it, see enter.h. */
    rt_or_acqrel(&m->asked, RT_ASKED_TAKEN);
    /* acq_rel: stronger than needed; the next owner is not wired to anything. */
    rt_and_acqrel(&p->attention, ~(uint32_t)RT_ATTENTION_LOCKED);
    rt_handoff(p);
    rt_m_leave(m);
}

/* The P was given up, or taken: what does that say of the next call? */
static RT_NOINLINE void come_back(struct rt_m *m, struct rt_g *g) {
    bool was_short = m->gave_up_ns != 0 && os_now() - m->gave_up_ns < SHORT_NS;
    m->gave_up_ns = 0;
    if (was_short) {
        g->flags &= (uint8_t)~RT_G_FLAG_BLOCKS;
    } else {
        g->flags |= RT_G_FLAG_BLOCKS;
    }
    rt_m_leave(rt_m_enter(m));
}

/* It says so, and goes on: the P stays with the thread, and is taken from it by the monitor
   if the call lasts and somebody could use it. See 'Inside' in enter.h, and retake.c. */
void tuco_blocking_enter(void) {
    struct rt_m *m = arch_self();
    if (m == NULL) {
        return;
    }
    struct rt_g *g = rt_m_g(m);
    g->flags |= RT_G_FLAG_ODD;
    /* relaxed, all: for the monitor, which looks again before it acts */
    rt_store_rlx(&m->blocks, rt_load_rlx(&m->blocks) + 1);
    rt_store_rlx(&g->blocking, (uint16_t)(rt_load_rlx(&g->blocking) + 1));
    const struct rt_p *p = m->p;
    if (unlikely(p == NULL)) {
        return; /* this is an inner call, or the runtime ends */
    }
    /* The P may have been taken by now: then this is about another's, and a hint as well.
       A P with timers cannot be idle without an M. */
    if (unlikely((g->flags & RT_G_FLAG_BLOCKS) != 0) &&
        (rt_find_others_wait(p) ? rt_spare_count() > 0 : !rt_clock_is_armed(&p->clock))) {
        give_p_up(m);
    } else if (rt_load_rlx(&rt_monitor_drowsy) != 0 && unlikely(rt_find_others_wait(p))) {
        wake_monitor();
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
    rt_store_rlx(&g->blocking, (uint16_t)(depth - 1)); /* relaxed: as above */
    /* relaxed: its own, or seen at the entry */
    if (unlikely((rt_load_rlx(&m->asked) & RT_ASKED_TAKEN) != 0)) {
        come_back(m, g);
    } else {
        rt_m_leave(rt_m_enter(m)); /* with a P from here on */
    }
}

intptr_t tuco_blocking(intptr_t (*fn)(void *), void *arg) {
    tuco_blocking_enter();
    intptr_t result = fn(arg);
    tuco_blocking_exit();
    return result;
}
