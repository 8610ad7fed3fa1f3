/* SPDX-License-Identifier: MIT */
/* Timer wheels under locks: arm, disarm, take out. The rules are in timers.h. */
#include "sched/timers.h"
#include "sched/look.h"
#include "base/lock.h"
#include "sched/sysmon/sysmonnote.h"
#include "sched/sched.h"
#include "sched/claim.h"

#include <errno.h>

/*
 * Clocks. ('Clocks') The scheduler never looks into a wheel: it reads one word, which
 * says when the first timer is due. That word is written under the wheel's lock and is
 * never later than the truth. It may be earlier, because disarming the first timer does
 * not update it unless the wheel is then empty: the M that wakes for it finds nothing to
 * do and corrects it, and the timers that were disarmed until then have cost nothing.
 * RT_WHEEL_NEVER means that no timer in the wheel will ever be due. So the word also
 * tells whether a timer can still wake a goroutine: see deadlock.c.
 *
 * For that use a timer must not be missing from both the wheel and the queues. While an M
 * fires it, its P is not idle. Sysmon has no P; so while it delivers, the word of its wheel
 * does not change ("delivering"). Firings are counted, so that a thread which reads the
 * wheels and then the queues can tell whether a timer went from one to the other meanwhile.
 */

/* How many timers are touched at a time under a wheel's lock, which is then held for a few
   microseconds. */
#define BATCH (RT_RUNQ_SLOTS / 2)

struct rt_timers {
    /* Guards all fields. Under it no other lock is taken, except sysmon's wheel's in
       rt_timers_leave(). */
    struct rt_lock lock;
    bool delivering;
    struct rt_clock *clock; /* immutable pointer: the word that the scheduler reads */
    struct rt_wheel wheel;
} RT_CACHE_ALIGNED;

/* For threads without a P. */
static struct rt_timers sysmon_timers;

/* One per P, at fixed addresses; the kernel's zero pages until a P is made. */
static struct rt_timers *all_timers;

#define ALL_BYTES \
    ((RT_PROCS_MAX * sizeof(struct rt_timers) + OS_PAGE_BYTES - 1) & ~(OS_PAGE_BYTES - 1))

/* Wheels */

/* The wheel in which the caller arms timers. */
static struct rt_timers *own_timers(void) {
    struct rt_m *m = arch_self();
    return likely(m != NULL) ? m->p->timers : &sysmon_timers;
}

static struct rt_timers *home_of(struct rt_timer *t) {
    /* acquire: if t is in no wheel, the thread that took it out is done with it. Pairs with
       leave_home(). */
    return rt_load_acq(&t->home);
}

static void leave_home(struct rt_timer *t) {
    /* release: the last access by the thread that took t out. Pairs with home_of(). */
    rt_store_rel(&t->home, NULL);
}

static void publish_next_locked(struct rt_timers *ts, int64_t next_ns) {
    rt_assert_held(&ts->lock);
    if (!ts->delivering) {
        /* release: after the count of firings. Pairs with the acquire in is_armed() in
           sched.c. */
        rt_store_rel(&ts->clock->next_ns, next_ns);
    }
}

/* Arming and disarming */

/* A slot that fills up must be spread early: see wheel.h. */
static RT_NOINLINE int64_t turn_locked(struct rt_timers *ts) {
    rt_wheel_turn(&ts->wheel, os_now());
    return rt_wheel_next(&ts->wheel);
}

/* Returns when the wheel must be served next, if t makes that earlier; else
   RT_WHEEL_NEVER. */
static int64_t put_in_locked(struct rt_timers *ts, struct rt_timer *t) {
    int64_t due_ns = rt_wheel_due_ns(t->when_ns);
    rt_store_rlx(&t->home, ts); /* relaxed: the lock is held, or t is the caller's */
    if (unlikely(rt_wheel_add(&ts->wheel, t))) {
        int64_t next_ns = turn_locked(ts);
        due_ns = rt_earlier(due_ns, next_ns);
    }
    if (due_ns >= rt_load_rlx(&ts->clock->next_ns)) { /* relaxed: the lock is held */
        return RT_WHEEL_NEVER;
    }
    /* relaxed: published by the idle word, or by the count of foreign threads */
    rt_store_rlx(&ts->clock->next_ns, due_ns);
    return due_ns;
}

static void arm(struct rt_timer *t, int64_t when_ns) {
    struct rt_timers *ts = own_timers();
    t->when_ns = when_ns;
    rt_lock(&ts->lock);
    bool was_armed = rt_clock_is_armed(ts->clock);
    int64_t first_ns = put_in_locked(ts, t);
    rt_unlock(&ts->lock);
    if (first_ns != RT_WHEEL_NEVER && unlikely(ts == &sysmon_timers)) {
        rt_sysmon_wake_before(first_ns);
    } else if (!was_armed && ts != &sysmon_timers) {
        rt_look_soon(arch_self()->p);
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
    /* Retries if t was moved before the lock was taken. Safe because wheels live until the
       runtime has ended; by then all timers are out and no thread is inside. */
    while (!armed && (ts = home_of(t)) != NULL) {
        rt_lock(&ts->lock);
        armed = rt_load_rlx(&t->home) == ts; /* relaxed: the lock is held */
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

/* Taking due timers out */

static void collect_one_locked(struct rt_timers_batch *b, struct rt_timer *t) {
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
    leave_home(t); /* last: a goroutine that another waker woke may continue from here */
}

/* Takes a batch out. Returns false if nothing is due. */
static bool collect_locked(struct rt_timers *ts, int64_t now_ns,
                           struct rt_timers_batch *b) {
    uint32_t budget = BATCH;
    uint32_t taken = 0;
    struct rt_timer *t;
    b->goroutines = NULL;
    b->others_count = 0;
    while (b->others_count < RT_TIMERS_BATCH_OTHERS &&
           (t = rt_wheel_pop(&ts->wheel, now_ns, &budget)) != NULL) {
        collect_one_locked(b, t);
        taken++;
    }
    /* If the budget is used up there may be more, even if all of it was spent on moving
       timers to other slots. */
    bool more = taken > 0 || budget == 0;
    if (taken > 0 || ts->delivering) {
        /* For sysmon before and after the delivery. relaxed: the lock is held; published
           with next_ns. */
        rt_store_rlx(&ts->clock->firings, rt_load_rlx(&ts->clock->firings) + 1);
    }
    ts->delivering = more && ts == &sysmon_timers;
    publish_next_locked(ts, rt_wheel_next(&ts->wheel));
    return more;
}

bool rt_timers_take(struct rt_p *p, int64_t now_ns, bool is_owner,
                    struct rt_timers_batch *b) {
    struct rt_timers *ts = p->timers;
    if (is_owner) {
        rt_lock(&ts->lock);
    } else if (!rt_lock_try(&ts->lock)) {
        return false;
    }
    collect_locked(ts, now_ns, b);
    b->more = rt_clock_is_due(&p->clock, now_ns);
    rt_unlock(&ts->lock);
    return true;
}

void rt_timers_take_sysmon(int64_t now_ns, struct rt_timers_batch *b) {
    rt_lock(&sysmon_timers.lock);
    b->more = collect_locked(&sysmon_timers, now_ns, b);
    rt_unlock(&sysmon_timers.lock);
}

/* Leaving */

/* Both locks are held while a timer changes wheels, so that disarm() finds it in one of
   them. Returns when the first of the moved timers is due, if sysmon has to be woken
   earlier for it. */
static int64_t move_some_locked(struct rt_timers *from, struct rt_timers *to) {
    int64_t first_ns = RT_WHEEL_NEVER;
    struct rt_timer *t;
    for (uint32_t i = 0; i < BATCH && (t = rt_wheel_pop_any(&from->wheel)) != NULL; i++) {
        int64_t earlier_ns = put_in_locked(to, t);
        first_ns = rt_earlier(first_ns, earlier_ns);
    }
    if (from->wheel.count == 0) {
        /* Counted as a firing: a thread that read sysmon's clock before and this one now
           checks again. relaxed: the lock is held; published with next_ns. */
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
        rt_lock(&sysmon_timers.lock);
        int64_t first_ns = from->wheel.count > 0 ? move_some_locked(from, &sysmon_timers)
                                                 : RT_WHEEL_NEVER;
        more = from->wheel.count > 0;
        rt_unlock(&sysmon_timers.lock);
        rt_unlock(&from->lock);
        if (first_ns != RT_WHEEL_NEVER) {
            rt_sysmon_wake_before(first_ns);
        }
    }
}

/* Beginning and end */

static void timers_set_up(struct rt_timers *ts, struct rt_clock *clock,
                          enum rt_lock_rank rank) {
    ts->clock = clock;
    ts->lock.rank = rank;
    rt_store_rlx(&clock->next_ns, RT_WHEEL_NEVER); /* relaxed: not shared yet */
    rt_wheel_init(&ts->wheel, os_now());
}

/* No timers of goroutines are left, since there are no goroutines any more. */
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
    timers_set_up(&sysmon_timers, &rt_sched.sysmon_clock, RT_RANK_sysmon_timers);
    return 0;
}

void rt_timers_make(struct rt_p *p) {
    p->timers = &all_timers[p->id];
    timers_set_up(p->timers, &p->clock, RT_RANK_timers);
}

void rt_timers_free(void) {
    drop_all(&sysmon_timers);
    uint32_t made = rt_sched_made();
    for (uint32_t i = 0; i < made; i++) {
        drop_all(rt_sched.ps[i].timers);
    }
    os_release(all_timers, ALL_BYTES);
}
