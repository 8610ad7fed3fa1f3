/* SPDX-License-Identifier: MIT */
/* Goroutines that only one certain M may run. The rules are in lockedm.h. */
#include "sched/thread/lockedm.h"
#include "base/die.h"
#include "sched/syscall/enter.h"
#include "sched/globq.h"
#include "sched/runq.h"
#include "sched/thread/wakep.h"
#include "sched/sysmon/sysmonnote.h"
#include "sched/thread/note.h"
#include "sched/sched.h"
#include "sched/thread/startm.h"
#include "sched/tuning.h"

/*
 * Spin locks. ('Spin locks') A goroutine that a signal has stopped may hold a spin lock of
 * the program. Goroutines that wait for the lock by calling sched_yield() in a loop yield
 * their CPU to no thread that could release it: the holder has no P. Each of them keeps
 * its P for a slice, and if there are many, the holder waits for seconds. So when a signal
 * meets a goroutine in sched_yield(), its P goes straight to the first goroutine in the
 * list that was stopped elsewhere. That may be a goroutine that merely computes; then it
 * gets a slice before its turn, at the expense of an unrelated goroutine. Between two such
 * handoffs of a P there is a usual one.
 *
 * Too many stopped. ('Too many stopped') Each stopped goroutine occupies a thread, so
 * preemptmax limits their number. Beyond it, a P whose goroutine was stopped serves the
 * locked list at once: one stopped goroutine resumes in exchange, and the number stays. If
 * that were a strict rule, the run queues would never be served while all stopped
 * goroutines compute for ever. So after EXCHANGES_MAX such exchanges in a row, the P serves
 * its queues for a usual turn. If that finds another goroutine that computes, one more
 * thread than the limit is in use. So the number grows by one at most in EXCHANGES_MAX + 1
 * slices of a P, and falls when a stopped goroutine ends or parks.
 */

/* How often a dying thread tries to take the lock, which it may hold itself. */
#define LET_GO_TRIES 1000

/* See 'Too many stopped'. */
#define EXCHANGES_MAX 3

/* How often in a row the first of the list may be passed over. */
#define PASSED_OVER_MAX 3

static struct {
    /* guards what follows, and waits_lockedm and stopped_yielding of all Ms */
    struct rt_lock lock;
    struct rt_glist list;
    int passed_over; /* how often in a row the first was not taken */
    bool let_go;     /* the process ends: see rt_lockedm_let_go() */
    bool closed;     /* the runtime ends */

    rt_atomic(uint32_t) stepped_aside; /* Atomic: goroutines in signal handlers */
} lockedms = {.lock = RT_LOCK_INIT(lockedm)};

struct rt_lockedm_length rt_lockedm_shared;

static void lockedms_count_locked(void) {
    /* release: publishes the list. Pairs with rt_lockedm_length(). */
    rt_store_rel(&rt_lockedm_shared.count, lockedms.list.count);
}

/* Removes g from the list. False: it was not there. */
static bool lockedms_remove_locked(struct rt_g *g) {
    struct rt_g *before = NULL;
    struct rt_g *other = lockedms.list.first;
    while (other != NULL && other != g) {
        before = other;
        other = rt_g_next(other);
    }
    if (other == NULL) {
        return false;
    }
    if (before == NULL) {
        lockedms.list.first = rt_g_next(g);
    } else {
        rt_g_link(before, rt_g_next(g));
    }
    if (lockedms.list.last == g) {
        lockedms.list.last = before;
    }
    lockedms.list.count--;
    lockedms_count_locked();
    return true;
}

uint32_t rt_lockedm_slices_left(const struct rt_p *p) {
    /* relaxed: the owner's own */
    uint32_t begun = rt_load_rlx(&p->schedtick) - p->lockedm_turn.from;
    return begun < p->lockedm_turn.slices ? p->lockedm_turn.slices - begun : 0;
}

bool rt_lockedm_have_turn(const struct rt_p *p) {
    return unlikely(rt_lockedm_length() > 0) && rt_lockedm_slices_left(p) == 0;
}

/* A turn begins, or ends: the next one comes when all that are queued for p now have had a
   slice. */
static void set_turn(struct rt_p *p) {
    uint32_t procs = rt_sched_procs();
    uint32_t in_line = rt_p_queued(p) + (rt_globq_length() + procs - 1) / procs;
    in_line += rt_load_rlx(&p->runq.runnext) != NULL; /* relaxed, both: the owner's own */
    p->lockedm_turn =
        (struct rt_turn){.from = rt_load_rlx(&p->schedtick), .slices = 1 + in_line};
}

static void release_locked(struct rt_m *m) {
    if (m->waits_lockedm) {
        m->waits_lockedm = false;
        rt_note_wake(m); /* without a P */
    }
}

static void append_locked(struct rt_g *g) {
    rt_glist_append(&lockedms.list, g);
    lockedms_count_locked();
    /* relaxed: if g has stepped aside, this is its own thread */
    if (unlikely(lockedms.let_go) && rt_load_rlx(&g->lockedm->stepped_aside)) {
        release_locked(g->lockedm); /* it stopped just before the process began to end */
    }
}

/* Hands p to the M of g, which waits, and wakes it to run g. */
static void lockedm_resume(struct rt_g *g, struct rt_p *p) {
    struct rt_m *m = g->lockedm;
    m->spinning = false;
    m->to_run = g;
    rt_acquirep(m, p);
    rt_note_wake(m);
}

/* The next goroutine from g on whose M waits. The other Ms are about to check for their
   goroutines themselves. */
static struct rt_g *next_waiting(struct rt_g *g) {
    while (g != NULL && !g->lockedm->waits_lockedm) {
        g = rt_g_next(g);
    }
    return g;
}

/* The first goroutine, or one of the next few whose M went to sleep on cpu: see 'Where'
   in note.h. The first is passed over a few times only. */
static struct rt_g *lockedms_choose_locked(int cpu) {
    struct rt_g *first = next_waiting(lockedms.list.first);
    struct rt_g *g = first;
    int most = lockedms.passed_over < PASSED_OVER_MAX ? RT_NOTE_NEAR_MAX : 0;
    for (int i = 0; i < most && g != NULL; i++) {
        if (g->lockedm->cpu == cpu) {
            lockedms.passed_over = g == first ? 0 : lockedms.passed_over + 1;
            return g;
        }
        g = next_waiting(rt_g_next(g));
    }
    lockedms.passed_over = 0;
    return first;
}

/* The caller holds the lock, and has chosen g from the list: g gets p. False: g is
   NULL. */
static bool resume_and_unlock(struct rt_g *g, struct rt_p *p) {
    if (g != NULL) {
        g->lockedm->waits_lockedm = false;
        lockedms_remove_locked(g);
    }
    rt_unlock(&lockedms.lock);
    if (g != NULL) {
        lockedm_resume(g, p);
    }
    return g != NULL;
}

bool rt_lockedm_resume_first(struct rt_p *p) {
    if (rt_lockedm_length() == 0) {
        return false;
    }
    rt_lock(&lockedms.lock);
    struct rt_g *g = lockedms_choose_locked(rt_note_near());
    if (g != NULL) {
        set_turn(p);
    }
    return resume_and_unlock(g, p);
}

/* The caller holds p, and hands it to the first goroutine that a signal stopped elsewhere
   than in sched_yield(). False: there is none. */
static bool resume_computing(struct rt_p *p) {
    rt_lock(&lockedms.lock);
    struct rt_g *g = next_waiting(lockedms.list.first);
    /* relaxed: set before g was listed, which the lock orders */
    while (g != NULL &&
           (g->lockedm->stopped_yielding || !rt_load_rlx(&g->lockedm->stepped_aside))) {
        g = next_waiting(rt_g_next(g));
    }
    return resume_and_unlock(g, p);
}

/* The P of the calling thread, or NULL. */
static struct rt_p *own_p(void) {
    struct rt_m *m = arch_self();
    return m != NULL ? m->p : NULL;
}

/* No P is idle. A busy one has to look at the list at its next scheduling: the waker's, or
   all if the waker has none. */
static void request_turn(struct rt_p *waker_p) {
    if (waker_p != NULL) {
        rt_attention_set(waker_p, RT_ATTENTION_HANDOFF);
    } else {
        rt_sched_ask_attention(RT_ATTENTION_HANDOFF);
    }
}

void rt_lockedm_ready(struct rt_g *g) {
    struct rt_m *m = g->lockedm;
    /* before g is listed: the waker may be m itself, in a signal handler, and from then on
       lockedm_resume() may give it a P */
    struct rt_p *waker_p = own_p();
    rt_lock(&lockedms.lock);
    struct rt_p *p = m->waits_lockedm ? rt_pidleget() : NULL;
    if (p != NULL) {
        m->waits_lockedm = false;
    } else {
        append_locked(g);
    }
    rt_unlock(&lockedms.lock);
    if (p != NULL) {
        lockedm_resume(g, p);
        rt_sysmon_poke();
    } else {
        request_turn(waker_p);
        rt_wakep(1);
    }
}

/* True: m waits for a P that comes with g, unless *ends: the runtime ends, and no thread
   will wake m. *dropped is the P that it had, or NULL. False: g is runnable by now, first
   in the list, and no other work waits: m keeps its P, and has taken g off the list. */
static bool must_wait(struct rt_m *m, struct rt_g *g, struct rt_p **dropped, bool *ends) {
    rt_note_reset(m);
    m->cpu = os_cpu_current();
    rt_lock(&lockedms.lock);
    bool goes_on = m->p != NULL && lockedms.list.first == g &&
                   !rt_handoffp_has_work(m->p) && !rt_p_is_leaving(m->p);
    if (goes_on) {
        lockedms_remove_locked(g);
    } else {
        *dropped = rt_releasep(m); /* before lockedm_resume() can give it another */
    }
    *ends = lockedms.closed;
    m->waits_lockedm = !goes_on && !*ends;
    rt_unlock(&lockedms.lock);
    return !goes_on;
}

/* Woken by lockedm_resume(), or by rt_lockedm_release_all() without a P. */
static void sleep_locked(struct rt_m *m) {
    if (!rt_sched_lingering() || !rt_note_watch(m, os_now() + RT_LINGER_NS)) {
        rt_note_sleep(m, OS_NEVER);
    }
}

/* M runs no goroutine but its own. */
static void keep_p(struct rt_m *m) {
    rt_attention_set(m->p, RT_ATTENTION_LOCKED);
}

/* m has got a P: a slice begins. */
static void got_p(struct rt_m *m) {
    rt_p_count(&m->p->schedtick);
    if (rt_m_is_reserved(m)) {
        keep_p(m);
    }
    rt_sysmon_poke();
}

bool rt_lockedm_wait(struct rt_m *m) {
    struct rt_p *dropped = NULL;
    bool ends;
    if (!must_wait(m, m->locked_g, &dropped, &ends)) {
        m->to_run = m->locked_g; /* no other goroutine ran in between */
        rt_p_count(&m->p->schedtick);
        return true;
    }
    if (dropped != NULL) {
        rt_handoffp(dropped);
    } else if (rt_lockedm_length() > 0) {
        /* g may be in the list: no thread took it as long as m did not wait */
        rt_wakep(1);
    }
    if (ends) {
        return false;
    }
    /* also if the runtime ends by now: lockedm_resume() may be giving m a P */
    sleep_locked(m);
    if (m->p != NULL) {
        got_p(m);
    }
    return m->p != NULL;
}

/* The goroutine on m steps aside. The P goes straight from one stopped goroutine to
   another at most once in a row: all others have their turn in between. */
static void give_p_away(struct rt_m *m, bool yields) {
    struct rt_p *p = rt_releasep(m);
    bool straight = yields && !p->handed_straight && !rt_p_is_leaving(p);
    p->handed_straight = straight;
    if (!straight || !resume_computing(p)) {
        rt_handoffp_at_once(p);
    }
}

/* In a signal handler: the goroutine on m is locked to it, and about to wait. False: the
   runtime or the process ends, and the goroutine goes on as it is. */
static bool lock_stopped(struct rt_m *m, bool yields) {
    struct rt_g *g = rt_m_g(m);
    rt_note_reset(m);
    m->cpu = os_cpu_current();
    rt_lock(&lockedms.lock);
    bool ends = lockedms.closed; /* the runtime ends: no thread would wake it */
    ends |= lockedms.let_go;     /* the process ends: no goroutine is stopped any more */
    m->waits_lockedm = !ends;    /* the thread only waits from here on */
    m->stopped_yielding = yields;
    rt_unlock(&lockedms.lock);
    if (ends) {
        return false;
    }
    rt_gstatus_set(g, RT_G_RUNNING, RT_G_RUNNABLE);
    g->flags |= RT_G_FLAG_LOCKEDM | RT_G_FLAG_RESET_AT_END;
    g->lockedm = m;
    rt_add_rlx(&lockedms.stepped_aside, 1); /* relaxed: a count */
    return true;
}

/* The runtime or the process ends. The goroutine goes on as others that compute do then,
   until its next entry: other threads may need a C library lock that it holds. */
static void go_on_without_p(struct rt_m *m) {
    rt_lock(&lockedms.lock);
    /* or its next entry would put it there twice */
    (void)lockedms_remove_locked(rt_m_g(m));
    rt_unlock(&lockedms.lock);
    /* acq_rel: the same state as after a retake, see 'Inside' in enter.h. */
    rt_sched_detach();
    rt_or_acqrel(&m->asked, RT_ASKED_TAKEN);
}

/* In a signal handler: the goroutine on m is locked, detached and without a P. Waits until
   it has one. */
static void wait_aside(struct rt_m *m) {
    struct rt_g *g = rt_m_g(m);
    /* relaxed: published by the lock in rt_lockedm_ready(); a hint for is_stuck() */
    rt_store_rlx(&m->stepped_aside, true);
    rt_lockedm_ready(g);
    rt_sched_attach();
    rt_note_sleep(m, OS_NEVER);
    rt_store_rlx(&m->stepped_aside, false);
    rt_gstatus_set(g, RT_G_RUNNABLE, RT_G_RUNNING);
    if (m->p == NULL) {
        go_on_without_p(m);
        return;
    }
    m->to_run = NULL;
    if (m->locked_g == NULL) {
        g->flags &= (uint8_t)~RT_G_FLAG_LOCKEDM;
    }
    rt_sub_rlx(&lockedms.stepped_aside, 1); /* relaxed: a count */
    got_p(m);
}

/* A signal has stopped the goroutine that p ran, which is counted as stopped and not yet in
   the list. Decides when p serves the list next: if others wait there, no later than before
   this stop; if too many are stopped, at once. */
static void set_turn_after_stop(struct rt_p *p) {
    struct rt_turn earlier = p->lockedm_turn;
    uint32_t left = rt_lockedm_slices_left(p);
    set_turn(p);
    if (rt_lockedm_length() > 0 && left < p->lockedm_turn.slices) {
        p->lockedm_turn = earlier;
    }
    bool exchange = rt_lockedm_room() < 0 && p->exchanges < EXCHANGES_MAX;
    p->exchanges = exchange ? (uint8_t)(p->exchanges + 1) : 0;
    if (exchange) {
        p->lockedm_turn.slices = 0;
    }
}

void rt_lockedm_step_aside(struct rt_m *m, bool yields) {
    if (!lock_stopped(m, yields)) {
        return;
    }
    /* The goroutine is in no queue between the P and the list. sc: before the P is given
       away. Pairs with detached_now() in deadlock.c. */
    rt_sched_detach();
    set_turn_after_stop(m->p);
    m->hands_p_off = true;
    /* Before it is in the list, or it could get its own P back. */
    give_p_away(m, yields);
    m->hands_p_off = false;
    wait_aside(m);
}

void rt_lockedm_recall(struct rt_m *m, bool yields) {
    rt_m_drop_taken(m);
    if (lock_stopped(m, yields)) {
        wait_aside(m);
    } else {
        /* acq_rel: the same state as before, see 'Inside' in enter.h */
        rt_or_acqrel(&m->asked, RT_ASKED_TAKEN);
    }
}

uint32_t rt_lockedm_stepped_aside(void) {
    return rt_load_rlx(&lockedms.stepped_aside); /* relaxed: a count */
}

int rt_lockedm_room(void) {
    return rt_sched.config.debug.preempt_max - (int)rt_lockedm_stepped_aside();
}

void rt_lockedm_release_all(void) {
    rt_lock(&rt_sched.lifecycle);
    rt_lock(&lockedms.lock);
    lockedms.closed = true;
    for (struct rt_m *m = rt_sched.all_m; m != NULL; m = m->all_next) {
        release_locked(m);
    }
    if (rt_sched.adopted_m != NULL) {
        release_locked(rt_sched.adopted_m);
    }
    rt_unlock(&lockedms.lock);
    rt_unlock(&rt_sched.lifecycle);
}

void rt_lockedm_let_go(void) {
    int tries = LET_GO_TRIES;
    while (!rt_lock_try(&lockedms.lock)) {
        if (--tries == 0) {
            return;
        }
        os_thread_yield();
    }
    lockedms.let_go = true;
    for (struct rt_g *g = lockedms.list.first; g != NULL; g = rt_g_next(g)) {
        /* relaxed: as in resume_computing() */
        if (rt_load_rlx(&g->lockedm->stepped_aside)) {
            release_locked(g->lockedm);
        }
    }
    rt_unlock(&lockedms.lock);
}

void rt_lockedm_reset(void) {
    lockedms.list = (struct rt_glist){.first = NULL};
    lockedms.passed_over = 0;
    rt_store_rlx(&rt_lockedm_shared.count, 0); /* relaxed, all: no other thread yet */
    rt_store_rlx(&lockedms.stepped_aside, 0);
    lockedms.closed = false;
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
        g->flags |= RT_G_FLAG_LOCKEDM;
        g->lockedm = m;
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
        g->flags &= (uint8_t)~RT_G_FLAG_LOCKEDM;
        m->locked_g = NULL;
        if (!m->main_only) {
            rt_attention_clear(m->p, RT_ATTENTION_LOCKED);
        }
    }
    rt_m_leave(m);
}
