/* SPDX-License-Identifier: MIT */
/* Goroutines that only one certain M may run. The rules are in bound.h. */
#include "sched/bound.h"
#include "base/die.h"
#include "sched/enter.h"
#include "sched/globq.h"
#include "sched/idle.h"
#include "sched/monitor.h"
#include "sched/note.h"
#include "sched/procs.h"
#include "sched/sched.h"
#include "sched/spare.h"

/* How long an M whose goroutine waits watches its note before it sleeps: two that talk to
   each other are back sooner. */
#define LINGER_NS 20000

/* How often a dying thread asks for the lock: it may be the one that has it. */
#define LET_GO_TRIES 1000

/* How often in a row the first of the list may be passed over. */
#define PASSED_OVER_MAX 3

static struct {
    struct rt_lock lock; /* guards what follows, and waits_bound of all Ms */
    struct rt_glist list;
    int passed_over;        /* times in a row that the first of the list was not taken */
    bool let_go;            /* the process ends: see rt_bound_let_go() */
    rt_atomic(bool) closed; /* the runtime ends. Atomic: read without the lock */

    rt_atomic(uint32_t) stepped_aside;
} bound = {.lock = RT_LOCK_INIT(bound)};

struct rt_bound_length rt_bound_shared;

static void count_locked(void) {
    /* release: who is in the list. Pairs with rt_bound_length(). */
    rt_store_rel(&rt_bound_shared.count, bound.list.count);
}

/* Takes g out of the list. False: it was not there. */
static bool remove_locked(struct rt_g *g) {
    struct rt_g *before = NULL;
    struct rt_g *other = bound.list.first;
    while (other != NULL && other != g) {
        before = other;
        other = rt_g_next(other);
    }
    if (other == NULL) {
        return false;
    }
    if (before == NULL) {
        bound.list.first = rt_g_next(g);
    } else {
        rt_g_link(before, rt_g_next(g));
    }
    if (bound.list.last == g) {
        bound.list.last = before;
    }
    bound.list.count--;
    count_locked();
    return true;
}

bool rt_bound_have_turn(const struct rt_p *p) {
    /* relaxed: the owner's own */
    return unlikely(rt_bound_length() > 0) &&
           rt_load_rlx(&p->schedtick) - p->bound_turn.from >= p->bound_turn.slices;
}

void rt_bound_set_turn(struct rt_p *p) {
    uint32_t procs = rt_sched_procs();
    uint32_t in_line = rt_runq_length(&p->runq) + (rt_globq_length() + procs - 1) / procs;
    in_line += rt_load_rlx(&p->runq.next) != NULL; /* relaxed, both: the owner's own */
    p->bound_turn =
        (struct rt_turn){.from = rt_load_rlx(&p->schedtick), .slices = 1 + in_line};
}

static void release_locked(struct rt_m *m) {
    if (m->waits_bound) {
        m->waits_bound = false;
        rt_note_wake(m); /* without a P */
    }
}

static void append_locked(struct rt_g *g) {
    rt_glist_append(&bound.list, g);
    count_locked();
    /* relaxed: the thread's own here */
    if (unlikely(bound.let_go) && rt_load_rlx(&g->bound_m->stepped_aside)) {
        release_locked(g->bound_m); /* it has given its P away to the one who dies */
    }
}

/* p and g go to the M of g, which waits. */
static void resume(struct rt_g *g, struct rt_p *p) {
    struct rt_m *m = g->bound_m;
    m->p = p;
    m->spinning = false;
    m->to_run = g;
    rt_store_rel(&p->m,
                 m); /* release: publishes the M. Pairs with look_at() in retake.c */
    rt_note_wake(m);
}

/* The next whose M waits; those of others are about to look for them by themselves. */
static struct rt_g *next_waiting(struct rt_g *g) {
    while (g != NULL && !g->bound_m->waits_bound) {
        g = rt_g_next(g);
    }
    return g;
}

/* The first, or one not far behind it that is near: see 'Where' in note.h. The first is
   passed over a few times only. */
static struct rt_g *choose_locked(int cpu) {
    struct rt_g *first = next_waiting(bound.list.first);
    struct rt_g *g = first;
    int most = bound.passed_over < PASSED_OVER_MAX ? RT_NOTE_NEAR_MAX : 0;
    for (int i = 0; i < most && g != NULL; i++) {
        if (g->bound_m->cpu == cpu) {
            bound.passed_over = g == first ? 0 : bound.passed_over + 1;
            return g;
        }
        g = next_waiting(rt_g_next(g));
    }
    bound.passed_over = 0;
    return first;
}

bool rt_bound_resume_first(struct rt_p *p) {
    if (rt_bound_length() == 0) {
        return false;
    }
    rt_lock(&bound.lock);
    struct rt_g *g = choose_locked(rt_note_near());
    if (g != NULL) {
        g->bound_m->waits_bound = false;
        remove_locked(g);
    }
    rt_unlock(&bound.lock);
    if (g != NULL) {
        resume(g, p);
    }
    return g != NULL;
}

void rt_bound_ready(struct rt_g *g) {
    struct rt_m *m = g->bound_m;
    rt_lock(&bound.lock);
    struct rt_p *p = m->waits_bound ? rt_idle_claim() : NULL;
    if (p != NULL) {
        m->waits_bound = false;
    } else {
        append_locked(g);
    }
    rt_unlock(&bound.lock);
    if (p != NULL) {
        resume(g, p);
        rt_monitor_poke();
    } else {
        rt_idle_notify(1);
    }
}

static struct rt_p *drop_p(struct rt_m *m) {
    struct rt_p *p = m->p;
    m->p = NULL;
    if (p != NULL) {
        /* acq_rel: stronger than needed; the next owner is not wired to anything. */
        rt_and_acqrel(&p->attention, ~(uint32_t)RT_ATTENTION_LOCKED);
    }
    return p;
}

/* The M says that it waits for a P that comes with g. Not if it has a P, g is runnable by
   now, and it is its turn: then it takes g off the list. *dropped is the P that it had. */
static bool must_wait(struct rt_m *m, struct rt_g *g, struct rt_p **dropped) {
    rt_note_reset(m);
    m->cpu = os_cpu_current();
    rt_lock(&bound.lock);
    bool goes_on = m->p != NULL && bound.list.first == g && !rt_handoff_has_work(m->p) &&
                   !rt_procs_is_leaving(m->p);
    if (goes_on) {
        remove_locked(g);
    } else {
        *dropped = drop_p(m); /* before somebody can give it another */
    }
    m->waits_bound = !goes_on && !bound.closed;
    rt_unlock(&bound.lock);
    return !goes_on;
}

/* Woken by resume(), or by rt_bound_release_all() without a P. */
static void sleep_bound(struct rt_m *m) {
    if (!rt_sched_lingering() || !rt_note_watch(m, os_now() + LINGER_NS)) {
        rt_note_sleep(m, OS_NEVER);
    }
}

/* With its locked goroutine it runs no other. */
static void keep_p(struct rt_m *m) {
    /* acq_rel: stronger than needed; it is this thread's P. */
    rt_or_acqrel(&m->p->attention, RT_ATTENTION_LOCKED);
}

/* A slice begins. */
static void got_p(struct rt_m *m) {
    rt_p_count(&m->p->schedtick);
    if (m->locked_g != NULL) {
        keep_p(m);
    }
    rt_monitor_poke();
}

bool rt_bound_wait(struct rt_m *m) {
    struct rt_p *dropped = NULL;
    if (!must_wait(m, m->locked_g, &dropped)) {
        m->to_run = m->locked_g; /* nobody else was in between */
        rt_p_count(&m->p->schedtick);
        return true;
    }
    if (dropped != NULL) {
        rt_handoff(dropped);
    } else if (rt_bound_length() > 0) {
        rt_idle_notify(1); /* g may be there, and was not taken because m did not wait */
    }
    if (rt_load_acq(&bound.closed)) {
        return false;
    }
    sleep_bound(m);
    if (m->p != NULL) {
        got_p(m);
    }
    return m->p != NULL;
}

void rt_bound_wait_for_end(struct rt_m *m) {
    rt_note_reset(m);
    rt_lock(&bound.lock);
    bool waits = !bound.closed;
    m->waits_bound = waits; /* for no goroutine: rt_bound_release_all() wakes it */
    rt_unlock(&bound.lock);
    if (waits) {
        rt_note_sleep(m, OS_NEVER);
    }
}

void rt_bound_step_aside(struct rt_m *m) {
    struct rt_g *g = rt_m_g(m);
    rt_note_reset(m);
    m->cpu = os_cpu_current();
    rt_lock(&bound.lock);
    bool ends = bound.closed; /* then nobody would wake it */
    ends |= bound.let_go;     /* nor then */
    m->waits_bound = !ends;   /* from here on for good: the thread does nothing else */
    rt_unlock(&bound.lock);
    if (ends) {
        return;
    }
    rt_gstate_set(g, RT_G_RUNNING, RT_G_RUNNABLE);
    g->flags |= RT_G_FLAG_BOUND;
    g->bound_m = m;
    rt_add_rlx(&bound.stepped_aside, 1); /* relaxed: a count */
    /* Between its P and the list it could be overlooked. sc: before the P is given away.
       Pairs with rt_quiesce_check(). */
    rt_sched_depart();
    rt_bound_set_turn(m->p);
    m->gives_way = true;
    /* Before g is in the list, or it could get its own P back. */
    rt_handoff_at_once(drop_p(m));
    m->gives_way = false;
    rt_store_rlx(&m->stepped_aside, true); /* relaxed: for who waits for its end */
    rt_bound_ready(g);
    rt_sched_return();
    rt_note_sleep(m, OS_NEVER);
    rt_store_rlx(&m->stepped_aside, false);
    rt_gstate_set(g, RT_G_RUNNABLE, RT_G_RUNNING);
    if (m->p == NULL) {
        rt_lock(&bound.lock);
        (void)remove_locked(g); /* or its next entry would list it twice */
        rt_unlock(&bound.lock);
        /* The runtime ends. The goroutine goes on as others that compute do then, until
           its next entry: a lock of the C library that it may hold is needed by whoever
           is left. acq_rel: as if the P had been taken, see enter.h. */
        rt_sched_depart();
        rt_or_acqrel(&m->asked, RT_ASKED_TAKEN);
        return;
    }
    m->to_run = NULL;
    if (m->locked_g == NULL) {
        g->flags &= (uint8_t)~RT_G_FLAG_BOUND;
    }
    rt_sub_rlx(&bound.stepped_aside, 1); /* relaxed: a count */
    got_p(m);
}

uint32_t rt_bound_stepped_aside(void) {
    return rt_load_rlx(&bound.stepped_aside); /* relaxed: a count */
}

int rt_bound_room(void) {
    return rt_sched.config.debug.preempt_max - (int)rt_bound_stepped_aside();
}

void rt_bound_release_all(void) {
    rt_lock(&rt_sched.lifecycle);
    rt_lock(&bound.lock);
    rt_store_rel(&bound.closed, true); /* release: for uniformity; under the lock */
    for (struct rt_m *m = rt_sched.all_m; m != NULL; m = m->all_next) {
        release_locked(m);
    }
    if (rt_sched.adopted_m != NULL) {
        release_locked(rt_sched.adopted_m);
    }
    rt_unlock(&bound.lock);
    rt_unlock(&rt_sched.lifecycle);
}

void rt_bound_let_go(void) {
    int tries = LET_GO_TRIES;
    while (!rt_lock_try(&bound.lock)) {
        if (--tries == 0) {
            return;
        }
        os_thread_yield();
    }
    bound.let_go = true;
    for (struct rt_g *g = bound.list.first; g != NULL; g = rt_g_next(g)) {
        if (rt_load_rlx(&g->bound_m->stepped_aside)) { /* relaxed: under the lock */
            release_locked(g->bound_m);
        }
    }
    rt_unlock(&bound.lock);
}

void rt_bound_reset(void) {
    bound.list = (struct rt_glist){.first = NULL};
    bound.passed_over = 0;
    rt_store_rlx(&rt_bound_shared.count, 0); /* relaxed: nobody else yet; so below */
    rt_store_rlx(&bound.stepped_aside, 0);
    rt_store_rlx(&bound.closed, false);
}

/* Public */

void tuco_lock_thread(void) {
    struct rt_m *m = arch_self();
    if (m == NULL) {
        return;
    }
    m = rt_m_enter(m);
    struct rt_g *g = rt_m_g(m);
    if (m->locks++ == 0) {
        g->flags |= RT_G_FLAG_BOUND;
        g->bound_m = m;
        m->locked_g = g;
        keep_p(m);
    }
    rt_m_leave(m);
}

void tuco_unlock_thread(void) {
    struct rt_m *m = arch_self();
    if (m == NULL || m->locks == 0) {
        return;
    }
    m = rt_m_enter(m);
    struct rt_g *g = rt_m_g(m);
    if (--m->locks == 0) {
        g->flags &= (uint8_t)~RT_G_FLAG_BOUND;
        m->locked_g = NULL;
        rt_and_acqrel(&m->p->attention, ~(uint32_t)RT_ATTENTION_LOCKED); /* as keep_p() */
    }
    rt_m_leave(m);
}
