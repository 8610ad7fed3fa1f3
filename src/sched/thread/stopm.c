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

/*
 * An M that has found nothing gives its P up and sleeps with it, until a waker wakes it or
 * it has a reason of its own to go on. wakep.c explains which M is woken, and why none is
 * missed.
 *
 * Lingering. If work comes at once, an M that is awake gets it for the price of a cache
 * line. So a spinning M searches for LINGER_NS more before it gives its P up: this costs
 * wakers nothing, and saves both sides a fence. An M that gives its P up without having
 * spun watches its note instead. Neither lingers when there are more Ps than CPUs, where
 * it would take time from a thread that has work; nor does an M that is to sleep in the
 * poller, where its next work will most likely come from.
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
 * watches the clock for the rest. WATCH_NS bounds what that costs.
 *
 * Descriptors. If descriptors are waited for, one idle M sleeps in the poller in place of
 * its note, unless another thread polls: see netpoll.c. It makes the goroutines of events
 * runnable on its P when it has taken that back; if it cannot, it first puts them into the
 * global queue.
 */

/* How long an M lingers before it sleeps. Less than a wake-up costs. */
#define LINGER_NS 20000

/* How long a lingering M pauses between two looks at the queues. */
#define LINGER_TURNS 8

/* How long before a timer is due an M wakes up, at most; and the shortest sleep that is
   worth it. */
#define WATCH_NS     25000
#define SLEEP_MIN_NS 10000

/* How soon an M tries again to take its P back, while wakers claim theirs. */
#define RETRY_NS 20000

/* A late sleep counts fully, a punctual one has a weight of an eighth. */
#define OVERSLEEP_SHIFT 3

/* A P that has been idle for this long gives its caches back. */
#define CACHE_IDLE_NS ((int64_t)1000 * 1000 * 1000)

/* Why an M wakes up. */
enum rest_end {
    REST_WOKEN,  /* by a waker */
    REST_TIMER,  /* the P's first timer is due, or was */
    REST_LONG,   /* time to give the P's caches back */
    REST_EVENTS, /* it has polled, and goroutines are ready */
    REST_LEAVES, /* the P goes out of use: the M has not slept */
};

/* How m sleeps with p: on its note, or in the poller; and the goroutines that it found
   there. */
struct rest {
    struct rt_m *m;
    const struct rt_p *p;
    bool polls;
    bool lingers; /* it has not lingered as a spinning M */
    struct rt_glist ready;
};

/* True: a waker woke m. */
static bool rest_sleep_until(struct rest *r, int64_t deadline_ns) {
    return r->polls ? rt_netpoll_sleep(r->m, r->p->id, deadline_ns, &r->ready)
                    : rt_note_sleep(r->m, deadline_ns);
}

/* Sleeps until watch_ns before the timer is due, and watches the note and the clock for
   the rest. True: a waker woke m. */
static bool rest_sleep_until_timer(struct rest *r, int64_t timer_ns, int64_t watch_ns) {
    struct rt_m *m = r->m;
    if (rest_sleep_until(r, timer_ns - watch_ns)) {
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

/* p is idle, and its M sleeps until a waker claims p or it has a reason of its own. */
static enum rest_end rest_sleep(struct rest *r, bool caches) {
    /* relaxed: see 'Timers' */
    int64_t timer_ns = rt_load_rlx(&r->p->clock.next_ns);
    int64_t watch_ns = 0;
    if (rt_sched_lingering()) {
        int64_t end_ns = os_now() + (r->lingers && !r->polls ? LINGER_NS : 0);
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
    bool woken = timer ? rest_sleep_until_timer(r, timer_ns, watch_ns)
                       : rest_sleep_until(r, caches_ns);
    if (woken) {
        return REST_WOKEN;
    }
    return r->ready.count > 0 ? REST_EVENTS : timer ? REST_TIMER : REST_LONG;
}

/* m sleeps with p, which is idle. Returns why it is awake, with a P or as a spare M. */
static enum rest_end sleep_with_p(struct rt_m *m, struct rt_p *p, bool caches,
                                  bool lingers) {
    struct rest r = {
        .m = m, .p = p, .polls = rt_netpoll_take_to_sleep(p), .lingers = lingers};
    /* Woken by the thread that clears the P's bit: wake_p() or part() in wakep.c, or
       rt_pidle_release_all(). */
    enum rest_end end =
        unlikely(rt_p_is_leaving(p)) ? REST_LEAVES : rest_sleep(&r, caches);
    if (r.polls) {
        rt_netpoll_give();
    }
    bool back = end == REST_WOKEN || rt_pidle_come_back(m, p);
    if (r.ready.count > 0) {
        rt_netpoll_deliver(back ? m->p : NULL, &r.ready);
    }
    while (!back) {
        if (rt_note_sleep(m, rt_pidle_is_claimed(p) ? OS_NEVER : os_now() + RETRY_NS)) {
            return REST_WOKEN;
        }
        back = rt_pidle_come_back(m, p);
    }
    return end;
}

/* m, spinning, has found nothing, and searches a little longer. True: there is
   something. */
static bool linger(struct rt_m *m) {
    struct rt_p *p = m->p;
    int64_t end_ns = os_now() + LINGER_NS;
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

bool rt_stopm(struct rt_m *m) {
    struct rt_p *p = m->p;
    bool lingers = m->spinning && rt_sched_lingering() && !is_to_poll();
    if (lingers && linger(m)) {
        return (rt_load_rlx(&p->attention) & RT_ATTENTION_STOP) ==
               0; /* relaxed: sticky */
    }
    bool caches = rt_p_has_caches(p); /* before p can have another owner */
    if (!rt_spinning_give_up(m)) {
        if (rt_pidle_all()) {
            rt_checkdead_after(p);
        } else {
            rt_sysmon_poke_long();
        }
        enum rest_end end = sleep_with_p(m, p, caches, !lingers);
        /* m has a P, or no thread polls now: see 'Some thread polls' in netpoll.c. */
        rt_sysmon_poke();
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
