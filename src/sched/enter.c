/* SPDX-License-Identifier: MIT */
/* What happens to one who enters the runtime while somebody wants something of it. */
#include "sched/enter.h"
#include "sched/bound.h"
#include "sched/fork.h"
#include "sched/idle.h"
#include "sched/monitor.h"
#include "sched/park.h"
#include "sched/preempt.h"
#include "sched/sched.h"

uint32_t rt_enter_asked_at_start(void) {
    return rt_fence_reaches_all ? 0 : RT_ASKED_FENCE;
}

/* The P was taken: another one, if one is idle, or else the end of a queue. Returns the M
   that the goroutine is on then. */
static struct rt_m *get_p(struct rt_m *m) {
    m->p = NULL;
    /* acq_rel: all that the monitor did with the P came before. Pairs with the retake. */
    rt_and_acqrel(&m->asked, ~(uint32_t)RT_ASKED_CLAIM);
    struct rt_p *p = rt_idle_claim();
    if (p == NULL) {
        rt_yield_without_p(m);
        return arch_self();
    }
    m->p = p;
    rt_store_rel(&p->m,
                 m); /* release: publishes the M. Pairs with look_at() in retake.c */
    if (m->locked_g != NULL) {
        rt_or_acqrel(&p->attention, RT_ATTENTION_LOCKED); /* acq_rel: likewise */
    }
    rt_sched_return(); /* sc: it has a P. Pairs with rt_quiesce_check() */
    rt_monitor_poke();
    return m;
}

/* The monitor has claimed the P, and has not taken it: it finds the claim gone. True. Or it
   was faster. */
static bool deny(struct rt_m *m, uint32_t asked) {
    /* acq_rel: decides against the monitor. */
    return rt_cas_acqrel(&m->asked, &asked, asked & ~(uint32_t)RT_ASKED_CLAIM);
}

struct rt_m *rt_enter_slow(struct rt_m *m) {
    if (!rt_fence_reaches_all) {
        /* fence(sc): inside before asked. Pairs with the fence of the monitor. */
        rt_fence_sc();
    }
    for (;;) {
        /* acquire: what the monitor did before. Pairs with the retake. */
        uint32_t asked = rt_load_acq(&m->asked);
        if ((asked & RT_ASKED_FORKED) != 0) {
            rt_fork_die();
        }
        if ((asked & RT_ASKED_TAKEN) != 0) {
            m = get_p(m);
        } else if ((asked & RT_ASKED_CLAIMED) != 0) {
            deny(m, asked);
        } else if ((asked & RT_ASKED_YIELD) != 0 && rt_preempt_may(m)) {
            rt_preempt_answered(m);
            rt_yield_asked(m);
            m = arch_self();
        } else {
            return m;
        }
    }
}
