/* SPDX-License-Identifier: MIT */
/* How an M with nothing to do sleeps with its P: where, and until when. */
#include "sched/thread/stopm.h"
#include "sched/pending.h"
#include "sched/thread/wakep.h"
#include "sched/sysmon/sysmonnote.h"
#include "sched/thread/note.h"
#include "sched/netpoll/netpoll.h"
#include "sched/netpoll/pollset.h"
#include "sched/deadlock.h"
#include "sched/sched.h"
#include "sched/tuning.h"

/*
 * An M that has found nothing gives its P up and sleeps with it, until a waker wakes it or
 * it has a reason of its own to go on. wakep.c explains which M is woken, and why none is
 * missed.
 *
 * Lingering. If work comes at once, an M that is awake gets it for the price of a cache
 * line. So a spinning M searches for RT_LINGER_NS more before it gives its P up: this costs
 * wakers nothing, and saves both sides a fence. It does so only if no more Ps are busy, its
 * own included, than there are CPUs: else it would take time from a thread that has work.
 * An M that gives its P up without having spun watches its note instead, unless there are
 * more Ps than CPUs: such an M is not counted, so many could watch at a time. An M that is
 * to sleep in the poller does not linger, because its next work will most likely come from
 * there.
 *
 * Sleeping. An M sleeps on its own note, see note.h. The thread that clears the P's bit
 * owns the note, and is the only one to store to it until the M is awake. It calls the
 * kernel only if the M has gone to sleep there.
 *
 * Timers. An M sleeps until the first timer of its P is due, and takes the P back to fire
 * it. It reads that time once, after it has counted its P idle: only the owner of a P
 * makes the time earlier, and that is the M itself. Other threads disarm or steal timers,
 * which makes it later; then the M wakes up once for nothing. A sleep with a deadline
 * lasts longer than requested, by the time that it takes to wake a halted CPU. So the M
 * has itself woken before the timer is due, by as much as its last sleeps were late, and
 * watches the clock from then on. RT_WATCH_NS bounds what that costs.
 *
 * Descriptors. If descriptors are waited for, one idle M sleeps in the poller in place of
 * its note, unless another thread polls: see netpoll.c. It makes the goroutines of events
 * runnable on its P when it has taken that back; if it cannot, it first puts them into the
 * global queue.
 */

/* How long a lingering M pauses between two looks at the queues. */
#define LINGER_TURNS 8

/* A late sleep counts fully, a punctual one has a weight of an eighth. */
#define OVERSLEEP_SHIFT 3

/* Why an M that sleeps with its P goes on. */
enum stopm_end {
    STOPM_WOKEN,  /* a waker has woken it */
    STOPM_TIMER,  /* the P's first timer is due, or was */
    STOPM_CACHES, /* it is time to return the P's caches */
    STOPM_EVENTS, /* it has polled, and goroutines are ready */
    STOPM_LEAVES, /* the P goes out of use: the M has not slept */
};

/* m sleeps with p: on its note, or in the poller. */
struct sleeper {
    struct rt_m *m;
    const struct rt_p *p;
    bool polls;
    struct rt_glist ready; /* goroutines of the events that it has polled */
};

/* What m does until a waker wakes it: it watches its note until watch_ns, sleeps until
   sleep_ns, and watches its note again until due_ns. A step whose time does not come after
   that of the step before is left out. */
struct plan {
    int64_t watch_ns;
    int64_t sleep_ns;
    int64_t due_ns;
    enum stopm_end due; /* what it means that due_ns has come: TIMER or CACHES */
};

/* caches: p has caches. lingers: m has not lingered as a spinning M. */
static struct plan make_plan(const struct sleeper *s, bool caches, bool lingers) {
    int64_t now = os_now();
    int64_t timer_ns = rt_load_rlx(&s->p->clock.next_ns); /* relaxed: see 'Timers' */
    int64_t caches_ns = caches ? now + RT_CACHE_IDLE_NS : OS_NEVER;
    bool timer = timer_ns < caches_ns;
    struct plan plan = {.due = timer ? STOPM_TIMER : STOPM_CACHES};
    plan.due_ns = timer ? timer_ns : caches_ns;
    plan.sleep_ns = plan.due_ns;
    if (rt_sched_lingering()) {
        plan.watch_ns = now + (lingers && !s->polls ? RT_LINGER_NS : 0);
        plan.sleep_ns -= timer ? s->m->oversleep_ns : 0;
        if (plan.sleep_ns < plan.watch_ns + RT_SLEEP_MIN_NS) {
            plan.watch_ns = plan.due_ns;
        }
    }
    return plan;
}

/* True: a waker woke m. False: the deadline has passed, or goroutines are ready. */
static bool sleeper_sleep(struct sleeper *s, int64_t deadline_ns) {
    return s->polls ? rt_netpoll_sleep(s->m, s->p->id, deadline_ns, &s->ready)
                    : rt_note_sleep(s->m, deadline_ns);
}

/* m has slept until a time before a timer is due. */
static void learn_oversleep(struct rt_m *m, int64_t deadline_ns) {
    int64_t late_ns = os_now() - deadline_ns;
    int64_t less_ns = m->oversleep_ns - (m->oversleep_ns >> OVERSLEEP_SHIFT);
    late_ns = late_ns < RT_WATCH_NS ? late_ns : RT_WATCH_NS;
    m->oversleep_ns = late_ns > less_ns ? late_ns : less_ns;
}

static enum stopm_end execute_plan(struct sleeper *s, const struct plan *plan) {
    if (plan->watch_ns > 0 && rt_note_watch(s->m, plan->watch_ns)) {
        return STOPM_WOKEN;
    }
    if (plan->sleep_ns <= plan->watch_ns) {
        return plan->due;
    }
    if (sleeper_sleep(s, plan->sleep_ns)) {
        return STOPM_WOKEN;
    }
    if (s->ready.count > 0) {
        return STOPM_EVENTS;
    }
    if (plan->due == STOPM_TIMER) {
        learn_oversleep(s->m, plan->sleep_ns);
    }
    bool early = plan->sleep_ns < plan->due_ns;
    return early && rt_note_watch(s->m, plan->due_ns) ? STOPM_WOKEN : plan->due;
}

/* m sleeps with p, which is idle. Returns why it goes on, with a P or as a spare M. */
static enum stopm_end sleep_with_p(struct rt_m *m, struct rt_p *p, bool caches,
                                   bool lingers) {
    struct sleeper s = {.m = m, .p = p, .polls = rt_netpoll_take_to_sleep(p)};
    /* Woken by the thread that clears the P's bit: wake_p() or release_sleeper() in
       wakep.c, or rt_pidle_release_all(). */
    enum stopm_end end = STOPM_LEAVES;
    if (likely(!rt_p_is_leaving(p))) {
        struct plan plan = make_plan(&s, caches, lingers);
        end = execute_plan(&s, &plan);
    }
    if (s.polls) {
        rt_netpoll_give();
    }
    bool back = end == STOPM_WOKEN || rt_pidle_come_back(m, p);
    if (s.ready.count > 0) {
        rt_netpoll_deliver(back ? m->p : NULL, &s.ready);
    }
    while (!back) {
        if (rt_note_sleep(m, rt_pidle_is_claimed(p) ? OS_NEVER
                                                    : os_now() + RT_COME_BACK_NS)) {
            return STOPM_WOKEN;
        }
        back = rt_pidle_come_back(m, p);
    }
    return end;
}

/* m, spinning, has found nothing, and searches a little longer. True: there is
   something. */
static bool linger(struct rt_m *m) {
    struct rt_p *p = m->p;
    int64_t end_ns = os_now() + RT_LINGER_NS;
    int64_t timer_ns = rt_load_rlx(&p->clock.next_ns); /* relaxed: the owner's own */
    end_ns = rt_earlier(end_ns, timer_ns);
    do {
        rt_cpu_relax_for(LINGER_TURNS);
        /* relaxed: a bit that is set later is seen later */
        if (rt_pending_surplus(1) > 0 || rt_load_rlx(&p->attention) != 0) {
            return true;
        }
    } while (os_now() < end_ns);
    return false;
}

/* True if descriptors are waited for and no M sleeps in the poller. */
static bool is_to_poll(void) {
    return rt_netpoll_wanted() && rt_netpoll_sleeper() == RT_NETPOLL_NO_P;
}

/* m gives its P up and sleeps with it. Returns when m has a P, or is a spare M. */
static void give_up_and_sleep(struct rt_m *m, bool lingers) {
    struct rt_p *p = m->p;
    bool caches = rt_p_has_caches(p); /* before p can have another owner */
    if (rt_spinning_give_up(m)) {
        return;
    }
    if (rt_pidle_all()) {
        rt_checkdead_after(p);
    } else {
        rt_sysmon_poke_long();
    }
    enum stopm_end end = sleep_with_p(m, p, caches, lingers);
    /* m has a P, or no thread polls now: see 'Some thread polls' in netpoll.c. */
    rt_sysmon_poke();
    if (m->p == NULL) {
        return;
    }
    if (end == STOPM_CACHES) {
        rt_p_flush_caches(p);
    }
    rt_store_rlx(&m->p->cpu, os_cpu_current()); /* relaxed: a hint */
}

/* relaxed, both: only a matter of speed. */
static bool has_cpu_for_spinning(void) {
    return rt_pidle_busy(rt_load_rlx(&rt_pidle.word)) <= rt_load_rlx(&rt_sched.cpus);
}

bool rt_stopm(struct rt_m *m) {
    bool searches_on = m->spinning && has_cpu_for_spinning() && !is_to_poll();
    if (!searches_on || !linger(m)) {
        give_up_and_sleep(m, !searches_on);
    }
    return m->p == NULL || !rt_attention_has(m->p, RT_ATTENTION_STOP);
}
