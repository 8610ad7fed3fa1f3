/* SPDX-License-Identifier: MIT */
/* The scheduler's loop: finds the next goroutine, in all sources in order, and runs it. */
#include "sched/findrunnable.h"
#include "sched/findlocal.h"
#include "sched/thread/lockedm.h"
#include "sched/globq.h"
#include "sched/thread/wakep.h"
#include "sched/park.h"
#include "sched/runq.h"
#include "sched/netpoll/netpoll.h"
#include "sched/procresize.h"
#include "sched/deadlock.h"
#include "sched/thread/startm.h"
#include "sched/thread/stopm.h"
#include "sched/sched.h"
#include "sched/sysmon/preempt.h"
#include "sched/steal.h"
#include "sched/runtimer.h"
#include "sched/timers.h"
#include "sched/tuning.h"

/* How often a thief picks another victim when a ring was emptied before it could steal. */
#define STEAL_TRIES 4

/* How often a G is put back for another thread before the thread that ran it last runs
   it. */
#define MIGRATE_TRIES 100

/* With 'Migration' (park.c) takes one at a time, so that every G can change threads. */
static struct rt_g *find_global(struct rt_p *p) {
    struct rt_g *g;
    if (unlikely(rt_sched.config.debug.migrate)) {
        g = rt_globq_take_one();
    } else {
        g = rt_globq_take_batch(p, rt_sched_procs());
        g = g != NULL ? g : rt_findrunnable_yielded(p);
    }
    return rt_findrunnable_count_slice(p, g);
}

static struct rt_victims_walk begin_walk(struct rt_m *m) {
    return rt_victims_begin(rt_sched_ps_end(), (uint32_t)rt_rand_next(&m->rand));
}

/* The next busy P in random order. */
static struct rt_p *next_victim(struct rt_victims_walk *walk, const struct rt_p *thief) {
    uint32_t id;
    while (rt_victims_next(walk, &id)) {
        if (id != thief->id && !rt_pidle_has(id)) {
            return &rt_sched.ps[id];
        }
    }
    return NULL;
}

/* Fires due timers of busy Ps into m's own queue. Those of an idle P are left to its M,
   which sleeps until they are due. Returns true if more are due. */
static bool help_with_timers(struct rt_m *m) {
    struct rt_p *victim;
    int64_t now;
    bool more = false;
    struct rt_victims_walk walk = begin_walk(m);
    while ((victim = next_victim(&walk, m->p)) != NULL) {
        if (rt_timers_are_due(victim, &now)) {
            more |= rt_timers_run(victim, now, false /* thief */);
        }
    }
    return more;
}

/* Another P requested help with its timers. That comes after p's ring and before Gs that
   yielded. If nothing came of it for RT_TIMERS_HELP_NS, because the owner holds the timers'
   lock, p runs one of its yielded Gs before it tries again. */
static void help_in_turn(struct rt_m *m) {
    struct rt_p *p = m->p;
    bool has_any = rt_runq_has_any(&p->runq);
    bool more = true;
    int64_t end_ns = os_now() + RT_TIMERS_HELP_NS;
    while (more && !has_any && os_now() < end_ns) {
        more = help_with_timers(m);
        has_any = rt_runq_has_any(&p->runq);
    }
    p->helps = more;
    if (more) {
        p->yielded_look.countdown = has_any ? 1 : 2;
    }
}

/* p has more due timers than it may fire in one slice. Requests help from idle Ps, and from
   busy ones, which help if they have only Gs that yielded. */
static void ask_for_help(const struct rt_p *p) {
    uint32_t end = rt_sched_ps_end();
    for (uint32_t i = 0; i < end; i++) {
        if (i != p->id && !rt_pidle_has(i)) {
            /* acq_rel: after the timers were seen due. Pairs with the RMW in
               rt_findrunnable_run_timers(). */
            rt_attention_set(&rt_sched.ps[i], RT_ATTENTION_TIMERS);
        }
    }
    rt_wakep_slow(1);
}

/* Fires p's own due timers, which may put Gs into its queue. If one slice was not enough,
   goroutines run for RT_TIMERS_BREAK_NS before the next. */
void rt_findrunnable_run_timers(struct rt_m *m) {
    struct rt_p *p = m->p;
    int64_t now;
    bool asked = false;
    if (unlikely(rt_attention_has(p, RT_ATTENTION_TIMERS))) {
        /* acq_rel: clears the bit after the request and before the look, so that no request
           is lost. Pairs with the RMW in ask_for_help(). */
        rt_attention_clear(p, RT_ATTENTION_TIMERS);
        asked = true;
    }
    if (rt_timers_have_turn(p, &now)) {
        if (unlikely(rt_timers_run(p, now, true /* owner */))) {
            p->turn_until_ns = os_now() + RT_TIMERS_BREAK_NS;
            ask_for_help(p);
        }
    } else if (unlikely(asked)) {
        help_in_turn(m);
    }
}

/* Fires timers of Ps that compute and so are late to fire them. */
static struct rt_g *steal_timers(struct rt_m *m) {
    if (unlikely(help_with_timers(m))) {
        /* Makes m look at all sources again, and then here, before it sleeps. */
        rt_attention_set(m->p, RT_ATTENTION_TIMERS);
    }
    return rt_findrunnable_local(m->p);
}

/* Compares distances before it reads rings: distances come from words that seldom change,
   rings change all the time. */
struct rt_p *rt_steal_victim(const struct rt_p *thief, uint32_t random) {
    struct rt_p *victim;
    struct rt_p *nearest = NULL;
    int least = RT_FAR + 1;
    bool leaves_kept = rt_netpoll_defers(thief); /* see 'One server' in netpoll.c */
    struct rt_victims_walk walk = rt_victims_begin(rt_sched_ps_end(), random);
    int here = rt_load_rlx(&thief->cpu); /* relaxed, here and below: hints */
    while ((victim = next_victim(&walk, thief)) != NULL) {
        int there = rt_load_rlx(&victim->cpu);
        int distance = (int)rt_topology_distance(&rt_sched.topology, here, there);
        const struct rt_runq *q = &victim->runq;
        if (distance < least &&
            (leaves_kept ? rt_runq_surplus(q) : rt_runq_length(q)) > 0) {
            nearest = victim;
            least = distance;
        }
    }
    return nearest;
}

/* A search that fails is one walk, unless other thieves empty the rings first. */
static struct rt_g *steal_from_ring(struct rt_m *m) {
    struct rt_p *p = m->p;
    for (int i = 0; i < STEAL_TRIES; i++) {
        struct rt_p *victim = rt_steal_victim(p, (uint32_t)rt_rand_next(&m->rand));
        if (victim == NULL) {
            return NULL;
        }
        struct rt_g *g = rt_runq_grab(&p->runq, &victim->runq);
        if (g != NULL) {
            rt_p_count(&p->schedtick);
            return g;
        }
    }
    return NULL;
}

/* Watches victim for RT_RUNNEXT_AGE_NS. Returns true if g stayed in its runnext and victim
   scheduled nothing. */
static bool next_is_old(const struct rt_p *victim, const struct rt_g *g) {
    uint32_t switches = rt_p_switches(victim);
    int64_t end = os_now() + RT_RUNNEXT_AGE_NS;
    do {
        rt_cpu_relax();
        /* relaxed: a hint; rt_runq_steal_runnext() decides. */
        if (rt_load_rlx(&victim->runq.runnext) != g ||
            rt_p_switches(victim) != switches) {
            return false;
        }
    } while (os_now() < end);
    return true;
}

/* The last resort: steals from the runnext of a P that does not come to it. */
static struct rt_g *steal_next(struct rt_m *m) {
    struct rt_p *victim;
    struct rt_victims_walk walk = begin_walk(m);
    while ((victim = next_victim(&walk, m->p)) != NULL) {
        struct rt_g *g = rt_load_rlx(&victim->runq.runnext); /* relaxed: a hint */
        if (g != NULL && next_is_old(victim, g) &&
            rt_runq_steal_runnext(&victim->runq, g)) {
            rt_p_waker_goes_on(victim);
            rt_p_count(&m->p->schedtick);
            return g;
        }
    }
    return NULL;
}

/* Steals goroutines that yielded. */
static struct rt_g *steal_yielded(struct rt_m *m) {
    struct rt_p *victim;
    struct rt_g *g = NULL;
    struct rt_victims_walk walk = begin_walk(m);
    while (g == NULL && (victim = next_victim(&walk, m->p)) != NULL) {
        g = rt_runq_grab(&m->p->yieldq, &victim->yieldq);
    }
    return rt_findrunnable_count_slice(m->p, g);
}

/* True if only the caller's P is busy; the caller is a spinning M. relaxed: the next
   spinning M sees a P that becomes busy now; the last one looks again in
   rt_spinning_give_up(). */
static bool has_no_victims(void) {
    uint64_t w = rt_load_rlx(&rt_pidle.word);
    return rt_pidle_total(w) - rt_pidle_ps(w) <= 1;
}

static struct rt_g *steal(struct rt_m *m) {
    rt_store_rlx(&m->p->cpu, os_cpu_current()); /* relaxed: a hint */
    if (has_no_victims()) {
        return NULL;
    }
    struct rt_g *g = steal_from_ring(m);
    g = g != NULL ? g : steal_timers(m);
    g = g != NULL ? g : steal_yielded(m);
    return g != NULL ? g : steal_next(m);
}

/* m has lost its P and stops spinning. The P may already be idle or retired again; the
   thread that made it so saw a spinning M and found no deadlock, so m has to check. */
static void stop_without_p(struct rt_m *m) {
    if (m->spinning) {
        rt_resetspinning(m);
        if (rt_pidle_all()) {
            rt_checkdead();
        }
    }
}

/* Hands the P to the M of the first locked goroutine. Returns true if m has no P any
   more. */
static bool hand_to_lockedm(struct rt_m *m) {
    if (rt_lockedm_length() == 0) {
        return false;
    }
    struct rt_p *p = rt_releasep(m); /* before another M may have the P */
    m->hands_p_off = true;
    bool handed = rt_lockedm_resume_first(p);
    m->hands_p_off = false;
    if (!handed) {
        rt_acquirep(m, p);
        return false;
    }
    stop_without_p(m);
    return true;
}

/* There are too many Ps. Returns true if m has no P any more and is a spare M. */
static bool p_retire(struct rt_m *m) {
    struct rt_p *p = rt_releasep(m); /* before another M may have the P */
    if (!rt_procs_retire(p)) {
        rt_acquirep(m, p);
        return false;
    }
    stop_without_p(m);
    return true;
}

/* Goroutines that wake each other through runnext have used up their common slice. The one
   in runnext goes behind all others, as if it had yielded; or behind the ring, whose first
   goroutine has waited for too long: see 'Age' in findlocal.c. */
static void end_slice(struct rt_p *p) {
    struct rt_g *g = rt_runq_pop_runnext(&p->runq);
    if (g != NULL && p->waiting.chain_over) {
        rt_queue_kicked(p, g);
    } else if (g != NULL) {
        rt_queue_yielded(p, g);
    }
}

/* A timer may have put the G in runnext there since a goroutine stopped: it has used no
   slice and stays, and sysmon requests the end again after another slice. */
void rt_findrunnable_serve_slice(struct rt_p *p, bool stopped) {
    if (unlikely(rt_attention_has(p, RT_ATTENTION_SLICE))) {
        rt_attention_clear(p, RT_ATTENTION_SLICE);
        if (stopped) {
            end_slice(p);
        }
        p->waiting.chain_over = false;
    }
}

/* The locked list has its turn. Returns true if the G in runnext goes first. A timer, a
   descriptor or another goroutine has just woken it. If a locked goroutine went first and
   woke others, these would take its place and move it to the end of the ring. A G from
   runnext goes first RT_LOOK_INTERVAL times in a row at most, because timers may put
   another one there each time. */
static bool runnext_goes_first(struct rt_p *p) {
    struct rt_turn *turn = &p->lockedm_turn;
    if (rt_load_rlx(&p->runq.runnext) == NULL) { /* relaxed, both: the owner's own */
        return false;
    }
    uint32_t nexttick = rt_load_rlx(&p->nexttick);
    if (!turn->put_off) {
        turn->put_off = true;
        turn->nexttick = nexttick;
    }
    return nexttick - turn->nexttick < RT_LOOK_INTERVAL;
}

/* Serves the requests in p's attention, see enum rt_attention. Returns true if m has no P
   any more. */
static bool attend(struct rt_m *m) {
    struct rt_p *p = m->p;
    if (unlikely(rt_p_is_leaving(p))) {
        return p_retire(m);
    }
    if (rt_attention_has(p, RT_ATTENTION_HANDOFF)) {
        /* acq_rel: clears the bit before the look at the list, so that no request is lost.
           Pairs with the RMW in rt_sched_ask_attention(). */
        rt_attention_clear(p, RT_ATTENTION_HANDOFF);
    }
    if (rt_lockedm_have_turn(p) && !runnext_goes_first(p)) {
        return hand_to_lockedm(m);
    }
    rt_findrunnable_look_at_turn(p);
    return false;
}

/* p's own Gs, and those in the global queue. NULL: there are none, or another request has
   come. */
static struct rt_g *find_beside_urgent(struct rt_p *p) {
    struct rt_g *g = rt_findrunnable_local(p);
    /* relaxed: a late bit is seen at the next scheduling */
    if (g == NULL && rt_load_rlx(&p->attention) == 0 &&
        rt_globq_ahead() > rt_globq_urgent()) {
        g = find_global(p);
    }
    return g;
}

/* On RT_ATTENTION_NETPOLL: polls, and takes urgent Gs first, but not twice in a row: as
   many may come as p runs. */
static struct rt_g *find_urgent(struct rt_m *m) {
    struct rt_p *p = m->p;
    if (likely(!rt_attention_has(p, RT_ATTENTION_NETPOLL))) {
        return NULL;
    }
    /* acq_rel: clears the bit after the request and before the look, so that no request is
       lost. Pairs with the RMW in rt_sched_ask_attention(). */
    rt_attention_clear(p, RT_ATTENTION_NETPOLL);
    rt_netpoll_look_between(m);
    struct rt_g *g = rt_p_last_was_urgent(p) ? find_beside_urgent(p) : NULL;
    if (g == NULL) {
        g = rt_findrunnable_count_urgent(p, rt_globq_take_urgent(p));
        p->urgent_switches = g != NULL ? rt_p_switches(p) : p->urgent_switches;
    }
    if (unlikely(rt_globq_urgent() > 0)) {
        /* the ring had no room, or another G has its turn */
        rt_attention_set(p, RT_ATTENTION_NETPOLL);
    }
    return g;
}

/* Whether p has something that comes before the global queue. */
static bool has_ahead(const struct rt_p *p) {
    /* relaxed: of later bits an idle P must not miss STOP and RETIRE, and
       rt_spinning_give_up() looks for these again. */
    return rt_load_rlx(&p->attention) != 0 || rt_runq_has_any(&p->runq);
}

static bool has_nothing(const struct rt_p *p) {
    return !has_ahead(p) && rt_runq_length(&p->yieldq) == 0;
}

/* m has a P. Looks at all sources and sleeps if there is nothing. Returns a G to run. NULL:
   m has lost its P, or, if it still has one, the runtime ends. */
static struct rt_g *findrunnable(struct rt_m *m) {
    struct rt_p *p;
    for (bool stopped = true; (p = m->p) != NULL; stopped = false) {
        rt_findrunnable_serve_slice(p, stopped);
        rt_findrunnable_run_timers(m);
        if (unlikely(attend(m))) {
            return NULL;
        }
        struct rt_g *g = find_urgent(m);
        g = likely(g == NULL) ? rt_findrunnable_local(p) : g;
        /* relaxed: a late bit is seen at the next scheduling */
        uint32_t attention = rt_load_rlx(&p->attention);
        if (unlikely((attention & RT_ATTENTION_STOP) != 0)) {
            return NULL;
        }
        if (unlikely(g == NULL && has_ahead(p))) {
            /* A request came after the timers and attend(). The ring is checked as well:
               RETIRE may have been set and cleared since, see procresize.c. */
            continue;
        }
        g = g == NULL ? find_global(p) : g;
        if (g == NULL) {
            p->turn_until_ns = 0; /* no goroutine needs that time */
            if (rt_netpoll_look(m) || hand_to_lockedm(m)) {
                continue; /* p's ring has some, or m has no P any more */
            }
            g = rt_spinning_try(m) ? steal(m) : NULL;
        }
        if (g != NULL) {
            if (m->spinning) {
                rt_resetspinning(m);
            }
            return g;
        }
        /* steal_timers() may have filled the ring or set attention. */
        if (has_nothing(p) && !rt_stopm(m)) {
            return NULL;
        }
    }
    return NULL;
}

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
            g = findrunnable(m);
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
