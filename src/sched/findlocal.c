/* SPDX-License-Identifier: MIT */
/* The looks between two goroutines from the P's own queues. */
#include "sched/findlocal.h"
#include "sched/look.h"
#include "sched/netpoll/pollset.h"
#include "sched/sched.h"
#include "sched/thread/lockedm.h"
#include "sched/thread/pidle.h"
#include "sched/timers.h"

/* While other Gs are ready, a G from yieldq that ran for time t is followed by YIELDED_PART
   times t without one: it may run thousands of times as long as the others. At most a slice
   counts: the rest is time in which the process was stopped, or for which the others in
   yieldq must not pay. */
#define YIELDED_PART 8

/*
 * Age. ('Age') Goroutines that wake each other through runnext share a slice, as a chain.
 * If each chain could have a whole slice, a goroutine in the ring would wait for a slice of
 * each one ahead of it: 255 of them for 2.5 s. And the 61st slice, at which a busy P serves
 * the global queue and yieldq, might come after 0.6 s. So age decides. When the first
 * goroutine in the ring has waited for half a slice, the goroutine in runnext goes behind
 * the ring at each look at the clock, until all that waited then have had a turn. When
 * those queues have not been served for that long, the P serves them at the next slice. A
 * chain still has some 20 us, or one turn if that is longer. It is half a slice because
 * sysmon ends whole ones, after which the goroutine in runnext goes behind those that
 * yielded.
 *
 * The ring has no times, but a mark at its end, which moves to the new end when the head
 * has passed it. Beside empty queues the clock is not read. Trees that are walked in depth
 * through runnext seldom keep the ring waiting for so long: fib takes 2 % longer.
 */

/* Timers cannot be fired on the goroutine's stack: the goroutine may be parking in a queue
   whose lock it holds and which a timer needs. So it requests the scheduler. */
static void look_at_clock(struct rt_p *p, struct rt_look *look) {
    int64_t now;
    if (rt_timers_have_turn(p, &now)) {
        rt_attention_set(p, RT_ATTENTION_TIMERS);
    }
    if (now == 0 && (rt_runq_ring_has_any(&p->runq) || rt_globq_ahead() > 0)) {
        now = os_now();
    }
    if (now != 0) {
        /* Turns of goroutines that yield are often long: the first one is measured. */
        rt_look_set_interval(look, now, look == &p->yielded_look ? 1 : RT_LOOK_SOON);
    }
    look->at_ns = now;
}

struct rt_g *rt_findrunnable_yielded(struct rt_p *p) {
    struct rt_g *g = rt_runq_pop(&p->yieldq);
    return g != NULL ? g : rt_globq_take_yielded(p, rt_sched_procs());
}

/* Sets p's attention for what only the scheduler can do: fire timers, hand p to a locked
   goroutine, poll. */
static void look_around(struct rt_p *p, struct rt_look *look) {
    look_at_clock(p, look);
    if (rt_lockedm_have_turn(p)) {
        rt_attention_set(p, RT_ATTENTION_HANDOFF);
    }
    rt_netpoll_remind(p);
}

static bool is_aged(int64_t since_ns, int64_t now) {
    return now - since_ns >= rt_sched.config.slice_ns / 2;
}

/* Whether a goroutine in the ring has waited for half a slice, by the mark: see 'Age'. */
static bool ring_is_aged(struct rt_p *p, int64_t now) {
    struct rt_waiting *w = &p->waiting;
    if (!rt_runq_ring_has_any(&p->runq)) {
        w->ring_ns = 0;
        return false;
    }
    if (w->ring_ns == 0 || rt_runq_has_passed(&p->runq, w->slot)) {
        w->ring_ns = now;
        w->slot = rt_load_rlx(&p->runq.tail); /* relaxed: the owner's own */
        return false;
    }
    return is_aged(w->ring_ns, now);
}

/* Whether the global queue or yieldq has waited for half a slice: find_starved() serves
   them. */
static bool starved_are_aged(struct rt_p *p, int64_t now) {
    struct rt_waiting *w = &p->waiting;
    if (rt_globq_length() == 0 && rt_runq_length(&p->yieldq) == 0) {
        w->starved_ns = 0;
        return false;
    }
    w->starved_ns = w->starved_ns == 0 ? now : w->starved_ns;
    return is_aged(w->starved_ns, now);
}

/* Between two goroutines from runnext. */
static void look_at_waiting(struct rt_p *p, int64_t now) {
    bool aged = ring_is_aged(p, now);
    if (starved_are_aged(p, now)) {
        rt_look_all_within(&p->look, 1);
        aged = true;
    }
    if (unlikely(aged)) {
        p->waiting.chain_over = true;
        rt_attention_set(p, RT_ATTENTION_SLICE);
    }
}

void rt_findrunnable_look(struct rt_p *p) {
    look_around(p, &p->look);
    if (p->look.at_ns != 0) {
        look_at_waiting(p, p->look.at_ns);
    }
    rt_look_lengthen(&p->look);
    p->next_countdown = p->look.interval;
}

/* Takes a G that yielded although others are ready. Its turn is measured and ends at the
   next slice. */
static struct rt_g *find_yielded_in_turn(struct rt_p *p) {
    if (rt_runq_length(&p->yieldq) == 0 && rt_globq_yielded() == 0) {
        return NULL;
    }
    int64_t now = os_now();
    struct rt_g *g = now >= p->yieldq_ns ? rt_findrunnable_yielded(p) : NULL;
    if (g != NULL) {
        p->yielded_ns = now;
        rt_look_both_within(p, 1);
    }
    return g;
}

static void end_yielded_turn(struct rt_p *p) {
    int64_t now = os_now();
    int64_t turn_ns = rt_earlier(now - p->yielded_ns, rt_sched.config.slice_ns);
    p->yieldq_ns = now + YIELDED_PART * turn_ns;
    p->yielded_ns = 0;
}

/* Takes half of the victim's ring, if that has a surplus, or of its yieldq, if that is
   longer than p's. p has only Gs that yielded, or only the one that yields now. */
static struct rt_g *share_with(struct rt_p *p, struct rt_p *victim) {
    uint32_t own = rt_runq_length(&p->yieldq);
    uint32_t theirs = rt_runq_length(&victim->yieldq);
    struct rt_g *g = NULL;
    if (rt_runq_surplus(&victim->runq) > 0) {
        g = rt_runq_grab(&p->runq, &victim->runq);
    }
    if (g == NULL && theirs > (own == 0 ? 0 : own + 1)) {
        g = rt_runq_grab(&p->yieldq, &victim->yieldq);
    }
    return g;
}

static struct rt_g *share_with_others(struct rt_p *p) {
    struct rt_g *g = NULL;
    uint32_t end = rt_sched_ps_end();
    for (uint32_t i = 1; i < end && g == NULL; i++) {
        uint32_t id = (p->id + i) % end;
        if (!rt_pidle_has(id)) {
            g = share_with(p, &rt_sched.ps[id]);
        }
    }
    return g;
}

/* Serves Gs that a ring which is never empty would starve: yieldq and the global queue take
   turns. */
static struct rt_g *find_starved(struct rt_p *p) {
    struct rt_g *g = p->yieldq_turn ? find_yielded_in_turn(p) : NULL;
    p->yieldq_turn = !p->yieldq_turn;
    p->waiting.starved_ns = 0;
    g = g != NULL ? g : rt_globq_take_share(p, rt_sched_procs());
    return g != NULL ? g : find_yielded_in_turn(p);
}

/* The turn comes one scheduling after the last slice before it has begun. */
static void look_at_turn(struct rt_p *p, struct rt_look *look) {
    if (unlikely(rt_lockedm_length() > 0)) {
        rt_look_within(look, rt_lockedm_slices_left(p) + 1);
    }
}

void rt_findrunnable_look_at_turn(struct rt_p *p) {
    look_at_turn(p, &p->look);
    look_at_turn(p, &p->yielded_look);
}

/* Returns true at the 61st scheduling. */
static bool look_between(struct rt_p *p, struct rt_look *look) {
    look_around(p, look);
    if (unlikely(p->yielded_ns != 0)) {
        end_yielded_turn(p);
    }
    bool all = rt_look_count_down(look);
    look_at_turn(p, look);
    return all;
}

struct rt_g *rt_findrunnable_between(struct rt_p *p) {
    bool all = look_between(p, &p->look);
    int64_t now = p->look.at_ns;
    if (all || (now != 0 && starved_are_aged(p, now))) {
        return rt_findrunnable_count_slice(p, find_starved(p));
    }
    return NULL;
}

struct rt_g *rt_findrunnable_between_yielded(struct rt_p *p) {
    if (unlikely(p->helps)) {
        p->helps = false;
        rt_attention_set(p, RT_ATTENTION_TIMERS);
    }
    return look_between(p, &p->yielded_look)
               ? rt_findrunnable_count_slice(p, share_with_others(p))
               : NULL;
}
