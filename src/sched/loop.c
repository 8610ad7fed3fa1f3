/* SPDX-License-Identifier: MIT */
/* The scheduler's loop: find, run. */
#include "sched/loop.h"
#include "sched/bound.h"
#include "sched/globq.h"
#include "sched/idle.h"
#include "sched/note.h"
#include "sched/park.h"
#include "sched/preempt.h"
#include "sched/sched.h"
#include "sched/spare.h"

/* How often a goroutine is put back for another thread to take, before its own may have
   it. */
#define MIGRATE_TRIES 100

/* See 'Migration' in park.c. True: g was put back. */
static bool leave_to_another(struct rt_m *m, struct rt_g *g) {
    if (g->last_m != m->id + 1 || rt_sched_procs() == 1 ||
        (g->flags & RT_G_FLAG_BOUND) != 0 || ++m->migrate_tries > MIGRATE_TRIES) {
        m->migrate_tries = 0;
        g->last_m = m->id + 1;
        return false;
    }
    rt_globq_put(g);
    rt_idle_notify(1);
    os_thread_yield();
    return true;
}

/* The goroutine that the thread was wired to has ended, and so does the thread; that of
   tuco_run() has to wait for the end of the runtime instead. */
static void leave_for_good(struct rt_m *m) {
    struct rt_p *p = m->p;
    m->p = NULL;
    m->locked_g = NULL;
    m->locks = 0;
    /* acq_rel: stronger than needed; the next owner is not wired to anything. */
    rt_and_acqrel(&p->attention, ~(uint32_t)RT_ATTENTION_LOCKED);
    rt_handoff(p);
    if (m->adopted) {
        rt_bound_wait_for_end(m);
    }
}

/* The next goroutine to run, with a P; NULL: the thread has to end. */
static struct rt_g *next(struct rt_m *m) {
    rt_preempt_answered(m); /* if it was asked: somebody else has his turn now */
    while (!m->ends) {
        if (m->locked_g != NULL && m->to_run == NULL && !rt_bound_wait(m)) {
            return NULL;
        }
        if (m->p == NULL && !rt_spare_wait(m)) {
            return NULL;
        }
        struct rt_g *g = m->to_run;
        m->to_run = NULL;
        /* relaxed: sticky */
        if (g != NULL && (rt_load_rlx(&m->p->attention) & RT_ATTENTION_STOP) != 0) {
            return NULL; /* it is left as others that are runnable when the runtime ends */
        }
        if (g == NULL) {
            g = rt_find(m);
        }
        if (g != NULL) {
            return g;
        }
        if (m->p != NULL) {
            return NULL; /* the runtime ends */
        }
    }
    leave_for_good(m);
    return NULL;
}

bool rt_loop(struct rt_m *m, struct rt_g *first) {
    struct rt_g *g = first != NULL ? first : next(m);
    while (g != NULL) {
        bool kept = likely(!rt_sched.config.debug.migrate) || !leave_to_another(m, g);
        if (kept && rt_make_running(m, g)) {
            rt_switch(m, &m->g0, g, rt_after_switch);
        }
        g = next(m);
    }
    return m->p == NULL;
}
