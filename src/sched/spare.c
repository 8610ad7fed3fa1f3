/* SPDX-License-Identifier: MIT */
/* Ms without a P, and Ps without an M: how they come together. */
#include "sched/spare.h"
#include "sched/bound.h"
#include "sched/globq.h"
#include "sched/idle.h"
#include "sched/monitor.h"
#include "sched/note.h"
#include "sched/procs.h"
#include "sched/sched.h"
#include "sched/starter.h"

/*
 * An M loses its P when it blocks in the kernel, when its goroutine has to give way, or
 * when it hands it to another M that has to run a certain goroutine. When it is back, and
 * all Ps are taken, it is spare: it lies in a list, on top of those that came before, so
 * that the warmest is taken first, and sleeps on its note. One that has not been needed
 * for SPARE_NS ends.
 */
#define SPARE_NS ((int64_t)5 * 1000 * 1000 * 1000)

/* How long the only one watches its note before it sleeps. */
#define LINGER_NS 20000

static struct {
    struct rt_lock lock; /* guards what follows; a leaf */
    struct rt_m *first;
    bool closed; /* the runtime ends */

    /* Atomic: written under the lock, a hint without it. */
    rt_atomic(uint32_t) count;
} spare = {.lock = RT_LOCK_INIT(spare)};

static void count_locked(int change) {
    /* relaxed: under the lock; a hint for others */
    rt_store_rlx(&spare.count, rt_load_rlx(&spare.count) + (uint32_t)change);
}

uint32_t rt_spare_count(void) {
    return rt_load_rlx(&spare.count); /* relaxed: a hint */
}

/* False: the runtime ends. */
static bool enlist(struct rt_m *m) {
    rt_note_reset(m);
    m->cpu = os_cpu_current();
    rt_lock(&spare.lock);
    bool open = !spare.closed;
    if (open) {
        m->spare_next = spare.first;
        spare.first = m;
        count_locked(1);
    }
    rt_unlock(&spare.lock);
    return open;
}

/* True: m was still in the list. */
static bool delist(struct rt_m *m) {
    rt_lock(&spare.lock);
    struct rt_m **link = &spare.first;
    while (*link != NULL && *link != m) {
        link = &(*link)->spare_next;
    }
    bool found = *link != NULL;
    if (found) {
        *link = m->spare_next;
        count_locked(-1);
    }
    rt_unlock(&spare.lock);
    return found;
}

/* The link to the one on top, or to one not far below it that is near: see 'Where' in
   note.h. */
static struct rt_m **choose_locked(int cpu) {
    struct rt_m **link = &spare.first;
    for (int i = 0; i < RT_NOTE_NEAR_MAX && *link != NULL; i++) {
        if ((*link)->cpu == cpu) {
            return link;
        }
        link = &(*link)->spare_next;
    }
    return &spare.first;
}

static struct rt_m *take(int cpu) {
    if (rt_spare_count() == 0) {
        return NULL;
    }
    rt_lock(&spare.lock);
    struct rt_m **link = choose_locked(cpu);
    struct rt_m *m = *link;
    if (m != NULL) {
        *link = m->spare_next;
        count_locked(-1);
    }
    rt_unlock(&spare.lock);
    return m;
}

/* The M has just lost its P, or has just begun: a P that wants a thread need not wait for
   another one to be started. */
static bool take_wanted(struct rt_m *m) {
    struct rt_p *p = rt_idle_take_wanted();
    if (p == NULL) {
        return false;
    }
    p->left_ns = 0;
    m->p = p;
    m->spinning = true; /* counted by whoever wanted the thread */
    rt_store_rel(&p->m,
                 m); /* release: publishes the M. Pairs with look_at() in retake.c */
    return true;
}

bool rt_spare_begin(struct rt_m *m) {
    bool taken = take_wanted(m);
    rt_starter_arrived();
    return taken;
}

/* True: m has a P. Else it is in the list, or the runtime ends.
 *
 *     M                                       starter that may start no thread
 *     [S] in the list                         [S] the P's bit among those wanted
 *         fence(sc)                               fence(sc)
 *     [L] Ps that want a thread               [L] the list
 *
 * One sees the other, and the starter looks once more. */
static bool take_wanted_or_enlist(struct rt_m *m, bool *enlisted) {
    bool taken = take_wanted(m);
    *enlisted = !taken && enlist(m);
    if (*enlisted) {
        /* fence(sc): the list before the Ps. Pairs with wait_for_thread() in
           starter.c. */
        rt_fence_sc();
        if (rt_idle_wanted() > 0) {
            rt_starter_wake();
        }
    }
    return taken;
}

static bool wait_for_p(struct rt_m *m) {
    bool enlisted;
    if (take_wanted_or_enlist(m, &enlisted) || !enlisted) {
        return m->p != NULL;
    }
    bool woken = rt_sched_lingering() && rt_spare_count() == 1 &&
                 rt_note_watch(m, os_now() + LINGER_NS);
    if (!woken && !rt_note_sleep(m, m->adopted ? OS_NEVER : os_now() + SPARE_NS)) {
        if (delist(m)) {
            return false;
        }
        rt_note_sleep(m, OS_NEVER); /* somebody has just taken it, and wakes it */
    }
    return m->p != NULL;
}

bool rt_spare_wait(struct rt_m *m) {
    bool has_p = wait_for_p(m);
    if (has_p) {
        rt_monitor_poke();
    }
    return has_p;
}

static bool give(struct rt_p *p, bool spinning, int cpu) {
    struct rt_m *m = take(cpu);
    if (m == NULL) {
        return false;
    }
    m->p = p;
    m->spinning = spinning;
    rt_store_rel(&p->m,
                 m); /* release: publishes the M. Pairs with look_at() in retake.c */
    rt_note_wake(m);
    return true;
}

bool rt_spare_give(struct rt_p *p, bool spinning) {
    return give(p, spinning, RT_NOTE_ANYWHERE);
}

/* Goroutines that any M may run. */
static bool has_goroutines(const struct rt_p *p) {
    return rt_runq_has_any(&p->runq) || rt_globq_length() > 0;
}

bool rt_handoff_has_work(struct rt_p *p) {
    return has_goroutines(p) || rt_clock_is_due(&p->clock, os_now());
}

/* Work for any M comes before a goroutine that only one may run: the M that does it hands
   the P to that one when there is nothing else. A P with timers does not become idle
   without an M, even if they are not due: nobody would watch the clock. */
void rt_handoff(struct rt_p *p) {
    rt_store_rlx(&p->m, NULL); /* relaxed: a hint for the monitor */
    if (unlikely(rt_procs_is_leaving(p)) && rt_procs_retire(p)) {
        return;
    }
    bool work = rt_handoff_has_work(p);
    if (!work && rt_bound_resume_first(p)) {
        return;
    }
    if (!work && !rt_clock_is_armed(&p->clock)) {
        rt_idle_put_without_m(p);
    } else if (!give(p, false, rt_note_near())) {
        rt_idle_want_thread(p);
    }
}

void rt_handoff_at_once(struct rt_p *p) {
    rt_store_rlx(&p->m, NULL); /* relaxed: likewise */
    if (unlikely(rt_procs_is_leaving(p)) && rt_procs_retire(p)) {
        return;
    }
    if (!give(p, false, rt_note_near()) && !rt_bound_resume_first(p)) {
        rt_handoff(p);
    }
}

void rt_spare_release_all(void) {
    rt_lock(&spare.lock);
    spare.closed = true;
    struct rt_m *m = spare.first;
    spare.first = NULL;
    count_locked(-(int)rt_spare_count());
    while (m != NULL) {
        struct rt_m *next = m->spare_next;
        rt_note_wake(m); /* without a P */
        m = next;
    }
    rt_unlock(&spare.lock);
}

void rt_spare_reset(void) {
    spare.first = NULL;
    spare.closed = false;
    rt_store_rlx(&spare.count, 0); /* relaxed: nobody else yet */
}
