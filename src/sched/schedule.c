/* SPDX-License-Identifier: MIT */
/* The scheduler's loop: find, run. */
#include "sched/schedule.h"
#include "sched/thread/lockedm.h"
#include "sched/findrunnable.h"
#include "sched/globq.h"
#include "sched/thread/wakep.h"
#include "sched/thread/note.h"
#include "sched/park.h"
#include "sched/sysmon/preempt.h"
#include "sched/sched.h"
#include "sched/thread/startm.h"

/* How often a G is put back for another thread before the thread that ran it last runs
   it. */
#define MIGRATE_TRIES 100

/* See 'Migration' in park.c. Returns true if g was put back. */
static bool leave_to_another(struct rt_m *m, struct rt_g *g) {
    if (g->last_m != m->id + 1 || rt_sched_procs() == 1 ||
        (g->flags & RT_G_FLAG_LOCKEDM) != 0 || ++m->migrate_tries > MIGRATE_TRIES) {
        m->migrate_tries = 0;
        g->last_m = m->id + 1;
        return false;
    }
    rt_globq_put(g);
    rt_wakep(1);
    os_thread_yield();
    return true;
}

/*
 * The calling thread. ('The calling thread') main begins on the thread that called
 * tuco_run(). A library of the program may require that thread: tuco_lock_thread() keeps
 * main on it. Otherwise main leaves it when it first waits or yields, and the thread
 * sleeps until the runtime ends. It runs no other goroutine, because one that blocks or
 * computes would keep tuco_run() from returning after main has. Only if no other thread
 * can be started does it become an M like others.
 */

/* The goroutine to which the M was locked has ended. */
static void unlock_from_g(struct rt_m *m) {
    m->locked_g = NULL;
    m->locks = 0;
}

/* The thread ends with its locked goroutine: hands the P off. */
static void leave_for_good(struct rt_m *m) {
    unlock_from_g(m);
    rt_handoffp(rt_releasep(m));
}

static bool must_stop(const struct rt_m *m) {
    return m->p != NULL && rt_attention_has(m->p, RT_ATTENTION_STOP);
}

/* main is not locked to the calling thread and has left it. Returns false if the runtime
   ends. */
static bool leave_main(struct rt_m *m) {
    m->main_only = false;
    return !must_stop(m) && rt_midle_hold_back(m);
}

/* Returns the next G to run, with a P; NULL: the thread has to end. */
static struct rt_g *find_next(struct rt_m *m) {
    rt_preempt_answered(m); /* m's goroutine has yielded, if that was requested */
    if (unlikely(m->ends)) {
        if (!m->adopted) {
            leave_for_good(m);
            return NULL;
        }
        m->ends = false;
        m->main_only = true;
        unlock_from_g(m);
        rt_attention_clear(m->p, RT_ATTENTION_LOCKED);
    }
    for (;;) {
        if (m->locked_g != NULL && m->to_run == NULL && !rt_lockedm_wait(m)) {
            return NULL;
        }
        if (unlikely(m->main_only) && m->locked_g == NULL && !leave_main(m)) {
            return NULL;
        }
        if (m->p == NULL && !rt_midle_wait(m)) {
            return NULL;
        }
        struct rt_g *g = m->to_run;
        m->to_run = NULL;
        if (g != NULL && must_stop(m)) {
            return NULL; /* at the end runnable goroutines are left behind */
        }
        if (g == NULL) {
            g = rt_findrunnable(m);
        }
        if (g != NULL) {
            return g;
        }
        if (m->p != NULL) {
            return NULL; /* the runtime ends */
        }
    }
}

bool rt_schedule(struct rt_m *m, struct rt_g *first) {
    struct rt_g *g = first != NULL ? first : find_next(m);
    while (g != NULL) {
        if (likely(!rt_sched.config.debug.migrate) || !leave_to_another(m, g)) {
            rt_execute(m, g);
        }
        g = find_next(m);
    }
    return m->p == NULL;
}
