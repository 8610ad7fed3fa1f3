/* SPDX-License-Identifier: MIT */
/* Spare Ms, which have no P, and the handoff of Ps. */
#include "sched/thread/startm.h"
#include "sched/thread/lockedm.h"
#include "sched/globq.h"
#include "sched/runq.h"
#include "sched/thread/wakep.h"
#include "sched/sysmon/sysmonnote.h"
#include "sched/thread/note.h"
#include "sched/procresize.h"
#include "sched/sched.h"
#include "sched/thread/newmhandoff.h"
#include "sched/tuning.h"

/*
 * An M loses its P when it blocks in the kernel, when its goroutine is stopped, or when it
 * hands the P to an M that has to run a certain goroutine. If it needs a P again and none
 * is idle, the M is spare: it goes on top of a list and sleeps on its note. The last one
 * to come is taken first, because its caches are warm. An M that has been spare for
 * RT_MIDLE_NS ends.
 */

static struct {
    struct rt_lock lock; /* guards what follows; a leaf */
    struct rt_m *first;
    struct rt_m *held_back; /* see rt_midle_hold_back(); NULL: none */
    bool closed;            /* the runtime ends */

    /* Atomic: written under the lock, a hint without it. */
    rt_atomic(uint32_t) count;
} midle = {.lock = RT_LOCK_INIT(midle)};

static void midle_count_locked(int change) {
    /* relaxed: under the lock; a hint for others */
    rt_store_rlx(&midle.count, rt_load_rlx(&midle.count) + (uint32_t)change);
}

uint32_t rt_midle_count(void) {
    return rt_load_rlx(&midle.count); /* relaxed: a hint */
}

/* False: the runtime ends. */
static bool midle_put(struct rt_m *m) {
    rt_note_reset(m);
    m->cpu = os_cpu_current();
    rt_lock(&midle.lock);
    bool open = !midle.closed;
    if (open) {
        m->midle_next = midle.first;
        midle.first = m;
        midle_count_locked(1);
    }
    rt_unlock(&midle.lock);
    return open;
}

/* True: m was still in the list. */
static bool midle_remove(struct rt_m *m) {
    rt_lock(&midle.lock);
    struct rt_m **link = &midle.first;
    while (*link != NULL && *link != m) {
        link = &(*link)->midle_next;
    }
    bool found = *link != NULL;
    if (found) {
        *link = m->midle_next;
        midle_count_locked(-1);
    }
    rt_unlock(&midle.lock);
    return found;
}

/* The link to the first M, or to one of the next few that went to sleep on cpu: see
   'Where' in note.h. */
static struct rt_m **midle_choose_locked(int cpu) {
    struct rt_m **link = &midle.first;
    for (int i = 0; i < RT_NOTE_NEAR_MAX && *link != NULL; i++) {
        if ((*link)->cpu == cpu) {
            return link;
        }
        link = &(*link)->midle_next;
    }
    return &midle.first;
}

static struct rt_m *midle_get(int cpu) {
    if (rt_midle_count() == 0) {
        return NULL;
    }
    rt_lock(&midle.lock);
    struct rt_m **link = midle_choose_locked(cpu);
    struct rt_m *m = *link;
    if (m != NULL) {
        *link = m->midle_next;
        midle_count_locked(-1);
    }
    rt_unlock(&midle.lock);
    return m;
}

/* The M has just lost its P, or has just begun. It takes a P that wants a thread, for
   which the starter then need not start one. */
static bool take_wanted(struct rt_m *m) {
    struct rt_p *p = rt_pidle_take_wanted();
    if (p == NULL) {
        return false;
    }
    p->left_ns = 0;
    m->spinning = true; /* counted when the thread was requested */
    rt_acquirep(m, p);
    return true;
}

bool rt_midle_begin(struct rt_m *m) {
    bool taken = take_wanted(m);
    rt_newm_arrived();
    return taken;
}

/* True: m has a P. Otherwise m is in the list, or the runtime ends.
 *
 *     M                                       starter, at max_threads
 *     [S] in the list                         [S] the P's bit in 'wanted'
 *         fence(sc)                               fence(sc)
 *     [L] Ps that want a thread               [L] the list
 *
 * One sees the other, and the starter looks once more. */
static bool take_wanted_or_enlist(struct rt_m *m, bool *enlisted) {
    bool taken = take_wanted(m);
    *enlisted = !taken && midle_put(m);
    if (*enlisted) {
        /* fence(sc): the list before the Ps. Pairs with the fence in wait_for_thread() in
           newm.c. */
        rt_fence_sc();
        if (rt_pidle_wanted() > 0) {
            rt_newm_wake();
        }
    }
    return taken;
}

static bool wait_for_p(struct rt_m *m) {
    bool enlisted;
    if (take_wanted_or_enlist(m, &enlisted) || !enlisted) {
        return m->p != NULL;
    }
    bool woken = rt_sched_lingering() && rt_midle_count() == 1 &&
                 rt_note_watch(m, os_now() + RT_LINGER_NS);
    if (!woken && !rt_note_sleep(m, m->adopted ? OS_NEVER : os_now() + RT_MIDLE_NS)) {
        if (midle_remove(m)) {
            return false;
        }
        rt_note_sleep(m, OS_NEVER); /* midle_give() has just taken m, and wakes it */
    }
    return m->p != NULL;
}

bool rt_midle_wait(struct rt_m *m) {
    bool has_p = wait_for_p(m);
    if (has_p) {
        rt_sysmon_poke();
    }
    return has_p;
}

bool rt_midle_hold_back(struct rt_m *m) {
    struct rt_p *p = rt_releasep(m);
    rt_note_reset(m);
    m->cpu = os_cpu_current();
    rt_lock(&midle.lock);
    bool open = !midle.closed;
    if (open) {
        midle.held_back = m; /* before the P goes: there may be no other M for it */
    }
    rt_unlock(&midle.lock);
    if (p != NULL) {
        rt_handoffp(p);
    }
    if (open) {
        rt_note_sleep(m, OS_NEVER);
    }
    if (m->p != NULL) {
        rt_sysmon_poke();
    }
    return m->p != NULL;
}

bool rt_midle_release_held_back(void) {
    rt_lock(&midle.lock);
    struct rt_m *m = midle.held_back;
    if (m != NULL) {
        midle.held_back = NULL;
        m->midle_next = midle.first;
        midle.first = m;
        midle_count_locked(1);
    }
    rt_unlock(&midle.lock);
    return m != NULL;
}

static bool midle_give(struct rt_p *p, bool spinning, int cpu) {
    struct rt_m *m = midle_get(cpu);
    if (m == NULL) {
        return false;
    }
    m->spinning = spinning;
    rt_acquirep(m, p);
    rt_note_wake(m);
    return true;
}

bool rt_startm(struct rt_p *p, bool spinning) {
    return midle_give(p, spinning, RT_NOTE_ANYWHERE);
}

/* Whether there are goroutines that any M may run. */
static bool has_goroutines(const struct rt_p *p) {
    return rt_p_has_any(p) || rt_globq_length() > 0;
}

bool rt_handoffp_has_work(struct rt_p *p) {
    return has_goroutines(p) || rt_clock_is_due(&p->clock, os_now());
}

/* p has work, and no M is spare. Perhaps no thread can be started, and all Ms wait for
   their locked goroutines. So if a locked goroutine is runnable, it goes on with p, and a
   spare M is requested for the next time. */
static void want_thread_or_resume(struct rt_p *p) {
    if (rt_lockedm_resume_first(p)) {
        rt_newm_want_spare(false);
    } else {
        rt_pidle_want_thread(p);
    }
}

/* Work for any M comes before a locked goroutine: the M that does it hands the P on when
   it has nothing else. A P with armed timers does not become idle without an M, even if
   none is due: no thread would watch its clock. */
void rt_handoffp(struct rt_p *p) {
    rt_assert(rt_load_rlx(&p->m) == NULL);
    if (unlikely(rt_p_is_leaving(p)) && rt_procs_retire(p)) {
        return;
    }
    bool work = rt_handoffp_has_work(p);
    if (!work && rt_lockedm_resume_first(p)) {
        return;
    }
    if (!work && !rt_clock_is_armed(&p->clock)) {
        rt_pidleput(p);
    } else if (!midle_give(p, false, rt_note_near())) {
        want_thread_or_resume(p);
    }
}

void rt_handoffp_at_once(struct rt_p *p) {
    rt_p_forget_m(p); /* sysmon may have just taken it */
    if (unlikely(rt_p_is_leaving(p)) && rt_procs_retire(p)) {
        return;
    }
    if (!midle_give(p, false, rt_note_near()) && !rt_lockedm_resume_first(p)) {
        rt_handoffp(p);
    }
}

void rt_midle_release_all(void) {
    rt_lock(&midle.lock);
    midle.closed = true;
    if (midle.held_back != NULL) {
        rt_note_wake(midle.held_back); /* without a P */
        midle.held_back = NULL;
    }
    struct rt_m *m = midle.first;
    midle.first = NULL;
    midle_count_locked(-(int)rt_midle_count());
    while (m != NULL) {
        struct rt_m *next = m->midle_next;
        rt_note_wake(m); /* without a P */
        m = next;
    }
    rt_unlock(&midle.lock);
}

void rt_midle_reset(void) {
    midle.first = NULL;
    midle.held_back = NULL;
    midle.closed = false;
    rt_store_rlx(&midle.count, 0); /* relaxed: no other thread yet */
}
