/* SPDX-License-Identifier: MIT */
/* How an M with nothing to do sleeps with its P: where, and until when. */
#include "sched/rest.h"
#include "sched/crowd.h"
#include "sched/idle.h"
#include "sched/monitor.h"
#include "sched/note.h"
#include "sched/poll.h"
#include "sched/procs.h"
#include "sched/quiesce.h"
#include "sched/sched.h"

/*
 * An M that has found nothing gives its P up and sleeps with it, until somebody wakes it
 * or it has a reason of its own to go on. Who is woken, and why nobody is missed, is in
 * idle.c.
 *
 * Sleeping. An M sleeps on its own note, see note.h. Who clears the P's bit owns the note
 * and is the only one to store to it until the M is awake; the kernel is called only if
 * the M got as far as sleeping there. For a short moment the M watches the note before it
 * sleeps, because work that comes at once is then had for the price of a cache line; not
 * when there are more Ps than CPUs, where it would take the time from somebody who has
 * work.
 *
 * Timers. An M sleeps until the first timer of its P is due, and comes back to fire it.
 * It reads that time after it has counted its P idle, and need not look again: only the
 * owner of a P makes it earlier, and that is the M itself. Others disarm or steal timers,
 * which makes it later; then the M comes back for nothing, once. A thread that sleeps for
 * a given time sleeps longer, by the time that it takes to wake a halted CPU: so the M
 * has itself woken before the timer is due, by as much as its last sleeps lasted too
 * long, and watches the clock for the rest. WATCH_NS bounds what that costs.
 *
 * Descriptors. If some are watched, one idle M sleeps in the poller in place of its note,
 * unless others see to it: see poll.c. What it finds ready it takes along when it comes back; if it does not get a
 * P, it leaves that to others first.
 */

/* How long an M watches its note before it sleeps. Less than waking it would cost. */
#define LINGER_NS 20000

/* How long before a timer is due an M is awake, at most; and the least that is worth a
   sleep. */
#define WATCH_NS     25000
#define SLEEP_MIN_NS 10000

/* How soon an M that wants its P back asks again, while wakers choose theirs. */
#define RETRY_NS 20000

/* A sleep that lasted too long counts at once, one that did not counts an eighth. */
#define OVERSLEEP_SHIFT 3

/* A P that has been idle for that long gives back what it keeps for quick reuse. */
#define CACHE_IDLE_NS ((int64_t)1000 * 1000 * 1000)

/* Why an M rests no more. */
enum rest_end {
    REST_WOKEN,  /* by somebody */
    REST_TIMER,  /* the P's first timer is due, or was */
    REST_LONG,   /* its caches are to be given back */
    REST_EVENTS, /* it has polled, and there is somebody to run */
    REST_LEAVES, /* the P is one too many: it has not slept */
};

/* How m sleeps with p: on its note, or in the poller, and then with whom it found
   there. */
struct rest {
    struct rt_m *m;
    const struct rt_p *p;
    bool polls;
    struct rt_glist ready;
};

/* True: woken by somebody. */
static bool sleep_until(struct rest *r, int64_t deadline_ns) {
    rt_crowd_nap(r->m);
    return r->polls ? rt_poll_sleep(r->m, r->p->id, deadline_ns, &r->ready)
                    : rt_note_sleep(r->m, deadline_ns);
}

/* Sleeps until the first timer is due, less what sleeps last too long, and watches the
   clock for the rest. True: woken by somebody. */
static bool sleep_until_timer(struct rest *r, int64_t timer_ns, int64_t watch_ns) {
    struct rt_m *m = r->m;
    if (sleep_until(r, timer_ns - watch_ns)) {
        return true;
    }
    if (r->ready.count > 0) {
        return false;
    }
    int64_t late_ns = os_now() - (timer_ns - watch_ns);
    int64_t less_ns = m->oversleep_ns - (m->oversleep_ns >> OVERSLEEP_SHIFT);
    late_ns = late_ns < WATCH_NS ? late_ns : WATCH_NS;
    m->oversleep_ns = late_ns > less_ns ? late_ns : less_ns;
    return watch_ns > 0 && rt_note_watch(m, timer_ns);
}

/* p is m's until somebody claims it, which m learns from its note. Who polls does not
   watch the note first: what comes next will most likely come from there. */
static enum rest_end sleep_idle(struct rest *r, bool caches) {
    /* relaxed: see 'Timers' in the essay */
    int64_t timer_ns = rt_load_rlx(&r->p->clock.next_ns);
    int64_t watch_ns = 0;
    if (rt_sched_lingering()) {
        int64_t end_ns = os_now() + (r->polls ? 0 : LINGER_NS);
        watch_ns = r->m->oversleep_ns;
        bool near = timer_ns - watch_ns < end_ns + SLEEP_MIN_NS;
        if (rt_note_watch(r->m, near ? timer_ns : end_ns)) {
            return REST_WOKEN;
        }
        if (near) {
            return REST_TIMER;
        }
    }
    int64_t caches_ns = caches ? os_now() + CACHE_IDLE_NS : OS_NEVER;
    bool timer = timer_ns < caches_ns;
    bool woken =
        timer ? sleep_until_timer(r, timer_ns, watch_ns) : sleep_until(r, caches_ns);
    if (woken) {
        return REST_WOKEN;
    }
    return r->ready.count > 0 ? REST_EVENTS : timer ? REST_TIMER : REST_LONG;
}

/* m sleeps with p, which is idle. Returns why it is awake, with a P or as a spare one. */
static enum rest_end sleep_with(struct rt_m *m, struct rt_p *p, bool caches) {
    struct rest r = {.m = m, .p = p, .polls = rt_poll_take_to_sleep(p)};
    /* Woken by wake_p() or part() in idle.c, or by rt_idle_release_all(): whoever clears
       the P's bit. */
    enum rest_end end =
        unlikely(rt_procs_is_leaving(p)) ? REST_LEAVES : sleep_idle(&r, caches);
    if (r.polls) {
        rt_poll_give();
    }
    bool back = end == REST_WOKEN || rt_idle_come_back(m, p);
    if (r.ready.count > 0) {
        rt_poll_deliver(back ? m->p : NULL, &r.ready);
    }
    while (!back) {
        rt_crowd_nap(m);
        if (rt_note_sleep(m, rt_idle_is_claimed(p) ? OS_NEVER : os_now() + RETRY_NS)) {
            return REST_WOKEN;
        }
        back = rt_idle_come_back(m, p);
    }
    return end;
}

bool rt_rest(struct rt_m *m) {
    struct rt_p *p = m->p;
    bool caches = rt_p_has_caches(p); /* before it can be another's */
    if (!rt_idle_give_up(m)) {
        if (rt_idle_all()) {
            rt_quiesce_check();
        }
        rt_crowd_rest_begin(m);
        enum rest_end end = sleep_with(m, p, caches);
        rt_crowd_rest_end(m);
        /* For itself, or since nobody polls now: see 'Nobody polls' in poll.c. */
        rt_monitor_poke();
        if (m->p == NULL) {
            return true;
        }
        if (end == REST_LONG) {
            rt_p_flush_caches(p);
        }
        rt_store_rlx(&m->p->cpu, os_cpu_current()); /* relaxed: a hint */
    }
    return (rt_load_rlx(&m->p->attention) & RT_ATTENTION_STOP) == 0; /* relaxed: sticky */
}
