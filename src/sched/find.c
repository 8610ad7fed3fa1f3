/* SPDX-License-Identifier: MIT */
/* Where the next goroutine comes from: a list of sources in order. */
#include "sched/find.h"
#include "sched/bound.h"
#include "sched/globq.h"
#include "sched/idle.h"
#include "sched/poll.h"
#include "sched/procs.h"
#include "sched/quiesce.h"
#include "sched/rest.h"
#include "sched/sched.h"
#include "sched/victims.h"
#include "time/timer.h"

/* Rounds of looking at all others. In round r those not farther than r are visited: the
   machine's own order. */
#define STEAL_ROUNDS (RT_FAR + 1)

/* A goroutine that has been in its P's next slot for that long without the P scheduling
   anything may be stolen. A wake-up that its waker waits for takes a fiftieth of it. */
#define NEXT_AGE_NS 3000

/* The clock is read only if there is a timer. */
static bool timer_is_due(const struct rt_p *p, int64_t *now_ns) {
    /* relaxed: the owner's own, or a hint for thieves; the wheel's lock decides */
    int64_t timer_ns = rt_load_rlx(&p->clock.next_ns);
    return timer_ns != RT_WHEEL_NEVER && timer_ns <= (*now_ns = os_now());
}

/* On the goroutine's stack timers cannot be fired: it may be on its way into a queue whose
   lock it holds, and which a timer wants. So the next scheduling goes to the scheduler's
   stack. */
static void look_at_clock(struct rt_p *p) {
    int64_t now;
    if (timer_is_due(p, &now)) {
        /* acq_rel: stronger than needed; the owner, this thread, sees it next. */
        rt_or_acqrel(&p->attention, RT_ATTENTION_TIMERS);
    }
}

/* Likewise: to hand the P to another M takes a scheduler. */
static void look_at_bound(struct rt_p *p) {
    if (rt_bound_have_turn(p)) {
        rt_or_acqrel(&p->attention, RT_ATTENTION_BOUND); /* acq_rel: likewise */
    }
}

struct rt_g *rt_find_global_first(struct rt_p *p) {
    p->global_countdown = RT_GLOBAL_INTERVAL;
    look_at_clock(p);
    look_at_bound(p);
    rt_poll_remind(p);
    struct rt_g *g = rt_globq_take_one();
    if (g != NULL) {
        rt_p_count(&p->schedtick);
    }
    return g;
}

struct rt_g *rt_find_attentive(struct rt_p *p) {
    /* acq_rel: stronger than needed. One request, one turn of the ring; to stop is for
       ever, and for timers the scheduler is wanted: rt_find(). */
    uint32_t asked = rt_and_acqrel(&p->attention, ~(uint32_t)RT_ATTENTION_SLICE);
    if ((asked & RT_ATTENTION_SCHEDULER) != 0) {
        return NULL;
    }
    if (rt_bound_have_turn(p)) {
        rt_or_acqrel(&p->attention, RT_ATTENTION_BOUND); /* acq_rel: likewise */
        return NULL;
    }
    struct rt_g *g = rt_runq_pop(&p->runq);
    if (g == NULL) {
        g = rt_runq_pop_next(&p->runq);
    }
    if (g != NULL) {
        rt_p_count(&p->schedtick);
    }
    return g;
}

static struct rt_g *find_global(struct rt_p *p) {
    /* Moved one by one when every goroutine is to change threads: see 'Migration' in
       park.c. */
    struct rt_g *g = rt_sched.config.debug.migrate
                         ? rt_globq_take_one()
                         : rt_globq_take_batch(p, rt_sched_procs());
    if (g != NULL) {
        rt_p_count(&p->schedtick);
    }
    return g;
}

static struct rt_victims_walk begin_walk(struct rt_m *m) {
    return rt_victims_begin(rt_sched_ps_end(), (uint32_t)rt_rand_next(&m->rand));
}

/* Other Ps in random order, without the idle ones. */
static struct rt_p *next_victim(struct rt_victims_walk *walk, const struct rt_p *thief) {
    uint32_t id;
    while (rt_victims_next(walk, &id)) {
        if (id != thief->id && !rt_idle_has(id)) {
            return &rt_sched.ps[id];
        }
    }
    return NULL;
}

/* Fires the own timers that are due, of which goroutines may come into the own queue. */
static void run_timers(struct rt_p *p) {
    int64_t now;
    /* relaxed: a bit that is set later is seen next time */
    if (unlikely((rt_load_rlx(&p->attention) & RT_ATTENTION_TIMERS) != 0)) {
        /* acq_rel: stronger than needed. Before the look, so that a request is not lost. */
        rt_and_acqrel(&p->attention, ~(uint32_t)RT_ATTENTION_TIMERS);
    }
    if (timer_is_due(p, &now)) {
        rt_timers_run(p, now, true /* owner */);
    }
}

/* Timers of a P that computes, and so comes late to them. Those of an idle P are its M's,
   which sleeps until then. What comes of it is in the thief's own queue. */
static struct rt_g *steal_timers(struct rt_m *m) {
    struct rt_p *victim;
    int64_t now;
    struct rt_victims_walk walk = begin_walk(m);
    while ((victim = next_victim(&walk, m->p)) != NULL) {
        if (timer_is_due(victim, &now)) {
            rt_timers_run(victim, now, false /* thief */);
        }
    }
    return rt_find_local(m->p);
}

static struct rt_g *steal_round(struct rt_m *m, enum rt_distance reach) {
    struct rt_p *p = m->p;
    struct rt_p *victim;
    struct rt_victims_walk walk = begin_walk(m);
    bool leaves_kept = rt_poll_is_left_to_others(p);
    int here = rt_load_rlx(&p->cpu); /* relaxed: hints, both */
    while ((victim = next_victim(&walk, p)) != NULL) {
        int there = rt_load_rlx(&victim->cpu);
        if (rt_topology_distance(&rt_sched.topology, here, there) > reach) {
            continue;
        }
        if (leaves_kept && rt_runq_surplus(&victim->runq) == 0) {
            continue; /* see 'Crowded' in poll.c */
        }
        uint32_t moved;
        struct rt_g *g = rt_runq_grab(&p->runq, &victim->runq, &moved);
        if (g != NULL) {
            return g;
        }
    }
    return NULL;
}

/* True if victim kept g in its next slot for NEXT_AGE_NS and scheduled nothing in that
   time. */
static bool next_is_old(const struct rt_p *victim, const struct rt_g *g) {
    uint32_t switches = rt_p_switches(victim);
    int64_t end = os_now() + NEXT_AGE_NS;
    do {
        rt_cpu_relax();
        /* relaxed: observed for a while; rt_runq_steal_next() decides. */
        if (rt_load_rlx(&victim->runq.next) != g || rt_p_switches(victim) != switches) {
            return false;
        }
    } while (os_now() < end);
    return true;
}

/* The last resort: what another P meant to run next, but does not come to. */
static struct rt_g *steal_next(struct rt_m *m) {
    struct rt_p *victim;
    struct rt_victims_walk walk = begin_walk(m);
    while ((victim = next_victim(&walk, m->p)) != NULL) {
        struct rt_g *g = rt_load_rlx(&victim->runq.next); /* relaxed: as above */
        if (g != NULL && next_is_old(victim, g) && rt_runq_steal_next(&victim->runq, g)) {
            rt_p_count(&m->p->schedtick);
            return g;
        }
    }
    return NULL;
}

static struct rt_g *steal(struct rt_m *m) {
    rt_store_rlx(&m->p->cpu, os_cpu_current()); /* relaxed: a hint */
    for (int round = 0; round < STEAL_ROUNDS; round++) {
        struct rt_g *g = steal_round(m, (enum rt_distance)round);
        if (g != NULL) {
            rt_p_count(&m->p->schedtick);
            return g;
        }
    }
    struct rt_g *g = steal_timers(m);
    return g != NULL ? g : steal_next(m);
}

/* m has just lost its P, and searches no more. The P may be idle again by now, or out of
   use, and whoever made it so saw a searcher. */
static void stop_without_p(struct rt_m *m) {
    if (m->spinning) {
        rt_idle_found(m);
        if (rt_idle_all()) {
            rt_quiesce_check();
        }
    }
}

/* Gives the P to the first of the goroutines that only another M may run. True: m has no P
   any more. */
static bool hand_to_bound(struct rt_m *m) {
    struct rt_p *p = m->p;
    if (rt_bound_length() == 0) {
        return false;
    }
    struct rt_turn turn = p->bound_turn;
    rt_bound_set_turn(p);
    m->p = NULL; /* before it is another's */
    m->gives_way = true;
    bool handed = rt_bound_resume_first(p);
    m->gives_way = false;
    if (!handed) {
        m->p = p;
        p->bound_turn = turn;
        return false;
    }
    stop_without_p(m);
    return true;
}

/* The P is one too many. True: m has none any more, and is a spare one. */
static bool retire(struct rt_m *m) {
    struct rt_p *p = m->p;
    m->p = NULL; /* before it can be another's */
    if (!rt_procs_retire(p)) {
        m->p = p;
        return false;
    }
    stop_without_p(m);
    return true;
}

/* What the owner of p is wanted for by the scheduler; see enum rt_attention. True: m has no
   P any more. */
static bool attend(struct rt_m *m) {
    struct rt_p *p = m->p;
    if (unlikely(rt_procs_is_leaving(p))) {
        return retire(m);
    }
    /* With more threads in handlers than there may be, those come before goroutines that
       could need one more; but not before one that has just been woken. relaxed: the
       owner's own */
    if (unlikely(rt_bound_room() < 0) && rt_load_rlx(&p->runq.next) == NULL &&
        hand_to_bound(m)) {
        return true;
    }
    /* relaxed: who sees one sees it in time */
    if ((rt_load_rlx(&p->attention) & RT_ATTENTION_BOUND) != 0) {
        /* acq_rel: stronger than needed. */
        rt_and_acqrel(&p->attention, ~(uint32_t)RT_ATTENTION_BOUND);
    }
    return rt_bound_have_turn(p) && hand_to_bound(m);
}

/* The owner was asked to look for I/O: what the monitor has found comes first. */
static struct rt_g *find_urgent(struct rt_m *m) {
    struct rt_p *p = m->p;
    /* relaxed: a bit that is set later is seen next time */
    if (likely((rt_load_rlx(&p->attention) & RT_ATTENTION_POLL) == 0)) {
        return NULL;
    }
    /* acq_rel: before the look, so that a request is not lost; and after who asked. Pairs
       with rt_sched_ask_attention(). */
    rt_and_acqrel(&p->attention, ~(uint32_t)RT_ATTENTION_POLL);
    rt_poll_look_between(m);
    struct rt_g *g = rt_globq_take_urgent(p);
    if (g != NULL) {
        rt_p_count(&p->schedtick);
    }
    if (unlikely(rt_globq_urgent() > 0)) {
        /* There was no room. acq_rel: stronger than needed; this thread sees it next. */
        rt_or_acqrel(&p->attention, RT_ATTENTION_POLL);
    }
    return g;
}

/* The sources beyond the own queue, which is empty, in their order. NULL: there is nothing,
   m has no P any more, or its own queue has something now. */
static struct rt_g *look_everywhere(struct rt_m *m) {
    struct rt_g *g = find_global(m->p);
    if (g != NULL) {
        return g;
    }
    if (rt_poll_look(m) || hand_to_bound(m) || !rt_idle_try_spin(m)) {
        return NULL;
    }
    return steal(m);
}

static bool has_nothing(const struct rt_p *p) {
    /* relaxed: of what is set later an idle P has to know that the runtime ends, or that
       it is one too many, for which rt_idle_give_up() looks */
    return (rt_load_rlx(&p->attention) & RT_ATTENTION_SCHEDULER) == 0 &&
           !rt_runq_has_any(&p->runq);
}

struct rt_g *rt_find(struct rt_m *m) {
    struct rt_p *p;
    while ((p = m->p) != NULL) {
        run_timers(p);
        if (unlikely(attend(m))) {
            return NULL;
        }
        struct rt_g *g = find_urgent(m);
        g = likely(g == NULL) ? rt_find_local(p) : g;
        /* After it and not before: if no bit is set now, the ring is empty, which
           find_global() relies on. */
        /* relaxed: who sees one sees it in time; see rt_find_attentive() */
        uint32_t attention = rt_load_rlx(&p->attention);
        if (unlikely((attention & RT_ATTENTION_STOP) != 0)) {
            return NULL;
        }
        if (unlikely(g == NULL && (attention & RT_ATTENTION_SCHEDULER) != 0)) {
            continue; /* it was asked for after run_timers() and attend() */
        }
        if (g == NULL) {
            g = look_everywhere(m);
        }
        if (g != NULL) {
            if (m->spinning) {
                rt_idle_found(m);
            }
            return g;
        }
        /* It may have something by now: from the poller, or with a bit of attention set,
           which only this thread clears, from steal_timers(). */
        if (m->p != NULL && has_nothing(p) && !rt_rest(m)) {
            return NULL;
        }
    }
    return NULL;
}

void rt_find_monitor_timers(int64_t now_ns) {
    rt_timers_run_monitor(now_ns);
}

static RT_INLINE uint32_t sum_up(uint32_t enough,
                                 uint32_t (*count)(const struct rt_runq *)) {
    uint32_t pending = rt_globq_length() + rt_bound_length();
    uint32_t end = rt_sched_ps_end();
    for (uint32_t i = 0; i < end && pending < enough; i++) {
        pending += count(&rt_sched.ps[i].runq);
    }
    return pending < enough ? pending : enough;
}

uint32_t rt_find_pending(uint32_t enough) {
    return sum_up(enough, rt_runq_length);
}

uint32_t rt_find_surplus(uint32_t enough) {
    return sum_up(enough, rt_runq_surplus);
}
