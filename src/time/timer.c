/* SPDX-License-Identifier: MIT */
/* Wheels under locks: arming, disarming, firing. The rules are in timer.h. */
#include "time/timer.h"
#include "base/lock.h"
#include "sched/monitor.h"
#include "sched/park.h"
#include "sched/sched.h"
#include "sched/wait.h"

#include <errno.h>

/*
 * Clocks. ('Clocks') The scheduler never looks into a wheel: it reads one word, when the
 * first timer is due. That word is written under the wheel's lock, and is never later than
 * the truth. It may be earlier, because disarming the first timer leaves it alone unless
 * the wheel is empty then: whoever wakes for it finds nothing to do, corrects it, and all
 * the timers that were disarmed until then have cost nothing. RT_WHEEL_NEVER means that
 * the wheel is empty, or holds what never comes: so it also tells whether a goroutine can
 * still be woken by the clock, see quiesce.c.
 *
 * For that last use a timer must not be missing from both the wheel and the queues. One
 * that is being fired by an M is not: its P is not idle. The monitor has no P, so while it
 * delivers, the word of its wheel stays as it was ("delivering"). Firings are counted, so
 * that who looks at the wheels and the queues one after the other can tell whether
 * something went from the one to the other meanwhile.
 */

/* Timers that are touched in one go under a wheel's lock. Half a ring: so that the
   goroutines of a batch fit into it, and the lock is held for some microseconds. */
#define BATCH (RT_RUNQ_SLOTS / 2)

/* Of these, such that are not goroutines' own. */
#define BATCH_OTHERS 16

struct rt_timers {
    /* Guards all; under it nothing is taken or called but the wheel, and for
       rt_timers_leave() the monitor's lock. */
    struct rt_lock lock;
    bool delivering;
    struct rt_clock *clock; /* immutable: where the scheduler looks */
    struct rt_wheel wheel;
} RT_CACHE_ALIGNED;

/* What was taken out of a wheel and has to be delivered. */
struct batch {
    struct rt_g *goroutines; /* claimed; who was due first is last */
    uint32_t others_count;
    struct {
        struct rt_timer *timer;
        uint32_t tag;
    } others[BATCH_OTHERS];
};

/* Of threads without a P. */
static struct rt_timers monitor_timers;

/* One for each P, at addresses that stay; the kernel's zeroes until it is used. */
static struct rt_timers *all_timers;

#define ALL_BYTES \
    ((RT_PROCS_MAX * sizeof(struct rt_timers) + OS_PAGE_BYTES - 1) & ~(OS_PAGE_BYTES - 1))

/* Wheels */

/* Where the caller arms. */
static struct rt_timers *own_timers(void) {
    struct rt_m *m = arch_self();
    return likely(m != NULL) ? m->p->timers : &monitor_timers;
}

static struct rt_timers *home_of(struct rt_timer *t) {
    /* acquire: who finds it in no wheel comes after whoever took it out. Pairs with
       leave_home(). */
    return rt_load_acq(&t->home);
}

static void leave_home(struct rt_timer *t) {
    /* release: the last touch of whoever took it out. Pairs with home_of(). */
    rt_store_rel(&t->home, NULL);
}

static void publish_next_locked(struct rt_timers *ts, int64_t next_ns) {
    rt_assert_held(&ts->lock);
    if (!ts->delivering) {
        /* release: after the count of firings. Pairs with the acquire in
           rt_sched_timers_armed(); for all others it is their own, or a hint. */
        rt_store_rel(&ts->clock->next_ns, next_ns);
    }
}

/* Arming and disarming */

/* True: it is the first in that wheel. */
static bool put_in_locked(struct rt_timers *ts, struct rt_timer *t) {
    int64_t due_ns = rt_wheel_due_ns(t->when_ns);
    rt_store_rlx(&t->home, ts); /* relaxed: under the lock, or by the owner itself */
    rt_wheel_add(&ts->wheel, t);
    bool first = due_ns < rt_load_rlx(&ts->clock->next_ns); /* relaxed: under the lock */
    if (first) {
        /* relaxed: published by the idle word, or by the count of foreign threads */
        rt_store_rlx(&ts->clock->next_ns, due_ns);
    }
    return first;
}

static void arm(struct rt_timer *t, int64_t when_ns) {
    struct rt_timers *ts = own_timers();
    t->when_ns = when_ns;
    rt_lock(&ts->lock);
    bool first = put_in_locked(ts, t);
    rt_unlock(&ts->lock);
    if (first && unlikely(ts == &monitor_timers)) {
        rt_monitor_wake_before(rt_wheel_due_ns(when_ns));
    }
}

static void take_out_locked(struct rt_timers *ts, struct rt_timer *t) {
    rt_wheel_remove(&ts->wheel, t);
    if (ts->wheel.count == 0) {
        publish_next_locked(ts, RT_WHEEL_NEVER);
    }
    leave_home(t);
}

static bool disarm(struct rt_timer *t) {
    struct rt_timers *ts;
    bool armed = false;
    /* It is looked for anew if it was moved before the lock was had. Safe because a wheel
       lives until the runtime has ended, when all its timers have left it and nobody is
       inside. */
    while (!armed && (ts = home_of(t)) != NULL) {
        rt_lock(&ts->lock);
        armed = rt_load_rlx(&t->home) == ts; /* relaxed: under the lock */
        if (likely(armed)) {
            take_out_locked(ts, t);
        }
        rt_unlock(&ts->lock);
    }
    return armed;
}

void rt_timer_arm(struct rt_timer *t, int64_t when_ns) {
    rt_assert(t->fire != NULL && home_of(t) == NULL);
    arm(t, when_ns);
}

bool rt_timer_disarm(struct rt_timer *t) {
    return disarm(t);
}

void rt_timer_arm_g(struct rt_g *g, uint32_t ticket, int64_t when_ns) {
    g->timer.fire = NULL;
    g->timer.tag = ticket;
    arm(&g->timer, when_ns);
}

void rt_timer_disarm_g(struct rt_g *g) {
    disarm(&g->timer);
}

/* Firing */

static void collect_one_locked(struct batch *b, struct rt_timer *t) {
    if (t->fire != NULL) {
        b->others[b->others_count].timer = t;
        b->others[b->others_count++].tag = t->tag;
    } else {
        struct rt_g *g = rt_container_of(t, struct rt_g, timer);
        if (rt_claim_try(g, t->tag)) {
            rt_g_link(g, b->goroutines);
            b->goroutines = g;
        }
    }
    leave_home(t); /* last: a goroutine that was woken otherwise may go on from here */
}

/* Under the lock. False: nothing was due. */
static bool collect_locked(struct rt_timers *ts, int64_t now_ns, struct batch *b) {
    uint32_t budget = BATCH;
    uint32_t taken = 0;
    struct rt_timer *t;
    b->goroutines = NULL;
    b->others_count = 0;
    while (b->others_count < BATCH_OTHERS &&
           (t = rt_wheel_pop(&ts->wheel, now_ns, &budget)) != NULL) {
        collect_one_locked(b, t);
        taken++;
    }
    /* A used up budget is a reason to come again, even if all of it went into moving
       timers to other slots. */
    bool more = taken > 0 || budget == 0;
    if (taken > 0 || ts->delivering) {
        /* Both before the monitor delivers and after. relaxed: under the lock, and
           published with the next deadline. */
        rt_store_rlx(&ts->clock->firings, rt_load_rlx(&ts->clock->firings) + 1);
    }
    ts->delivering = more && ts == &monitor_timers;
    publish_next_locked(ts, rt_wheel_next(&ts->wheel));
    return more;
}

static void deliver(const struct batch *b, int64_t now_ns) {
    if (b->goroutines != NULL) {
        rt_ready_list(b->goroutines);
    }
    for (uint32_t i = 0; i < b->others_count; i++) {
        struct rt_timer *t = b->others[i].timer;
        t->fire(t, b->others[i].tag, now_ns);
    }
}

bool rt_timers_run(struct rt_p *p, int64_t now_ns, bool is_owner) {
    struct batch b;
    struct rt_timers *ts = p->timers;
    if (is_owner) {
        rt_lock(&ts->lock);
    } else if (!rt_lock_try(&ts->lock)) {
        return false;
    }
    bool any = collect_locked(ts, now_ns, &b);
    rt_unlock(&ts->lock);
    deliver(&b, now_ns);
    return any;
}

void rt_timers_run_monitor(int64_t now_ns) {
    struct batch b;
    bool any;
    do {
        rt_lock(&monitor_timers.lock);
        any = collect_locked(&monitor_timers, now_ns, &b);
        rt_unlock(&monitor_timers.lock);
        deliver(&b, now_ns);
    } while (any);
}

/* Leaving */

/* Both locks are held while a timer changes wheels, so that who disarms it finds it in one
   of them. Returns when the first of those moved is due that come before all others at the
   monitor. */
static int64_t move_some_locked(struct rt_timers *from, struct rt_timers *to) {
    int64_t first_ns = RT_WHEEL_NEVER;
    struct rt_timer *t;
    for (uint32_t i = 0; i < BATCH && (t = rt_wheel_pop_any(&from->wheel)) != NULL; i++) {
        if (put_in_locked(to, t)) {
            first_ns = rt_wheel_due_ns(t->when_ns);
        }
    }
    if (from->wheel.count == 0) {
        /* As if they had been fired: who saw the other wheel before and sees this one now
           looks again. relaxed: under the lock, and published with the next deadline. */
        rt_store_rlx(&from->clock->firings, rt_load_rlx(&from->clock->firings) + 1);
        publish_next_locked(from, RT_WHEEL_NEVER);
    }
    return first_ns;
}

void rt_timers_leave(struct rt_p *p) {
    struct rt_timers *from = p->timers;
    bool more = true;
    while (more) {
        rt_lock(&from->lock);
        rt_lock(&monitor_timers.lock);
        int64_t first_ns = from->wheel.count > 0 ? move_some_locked(from, &monitor_timers)
                                                 : RT_WHEEL_NEVER;
        more = from->wheel.count > 0;
        rt_unlock(&monitor_timers.lock);
        rt_unlock(&from->lock);
        if (first_ns != RT_WHEEL_NEVER) {
            rt_monitor_wake_before(first_ns);
        }
    }
}

/* Beginning and end */

static void set_up(struct rt_timers *ts, struct rt_clock *clock, enum rt_lock_rank rank) {
    ts->clock = clock;
    ts->lock.rank = rank;
    rt_store_rlx(&clock->next_ns, RT_WHEEL_NEVER); /* relaxed: nobody else yet */
    rt_wheel_init(&ts->wheel, os_now());
}

/* A goroutine's own timer is not among them: there are no goroutines any more. */
static void drop_all(struct rt_timers *ts) {
    struct rt_timer *t;
    while ((t = rt_wheel_pop_any(&ts->wheel)) != NULL) {
        uint32_t tag = t->tag;
        leave_home(t);
        t->fire(t, tag, RT_TIMER_DROPPED);
    }
}

int rt_timers_begin(void) {
    all_timers = os_reserve(ALL_BYTES, OS_PAGE_BYTES);
    if (all_timers == NULL) {
        return -ENOMEM;
    }
    set_up(&monitor_timers, &rt_sched.monitor_clock, RT_RANK_monitor_timers);
    return 0;
}

void rt_timers_make(struct rt_p *p) {
    p->timers = &all_timers[p->id];
    set_up(p->timers, &p->clock, RT_RANK_timers);
}

void rt_timers_free(void) {
    drop_all(&monitor_timers);
    uint32_t made = rt_sched_made();
    for (uint32_t i = 0; i < made; i++) {
        drop_all(rt_sched.ps[i].timers);
    }
    os_release(all_timers, ALL_BYTES);
}
