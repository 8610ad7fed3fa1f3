/* SPDX-License-Identifier: MIT */
/* The user's timers and tickers, which send to a channel or start a goroutine. */
#include "base/alloc.h"
#include "base/race.h"
#include "base/die.h"
#include "base/lock.h"
#include "chan/chan.h"
#include "sched/syscall/enter.h"
#include "sched/sched.h"
#include "sched/spawn.h"
#include "sched/timers.h"

#include <tuco/go.h>
#include <tuco/time.h>

/*
 * An alarm implements every tuco_timer and tuco_ticker, and the channel of tuco_after().
 *
 * Stop against fire. ('Stop against fire') After stop or reset has returned, no earlier
 * value can be received. A firing removes the timer from its wheel, then calls fire() with
 * a copy of the tag that the timer was armed with. Stop and reset remove the timer from the
 * wheel if it is still there, change the tag, and empty the channel. Both run under the
 * alarm's lock:
 *   fire first      the value is in the channel when stop empties it, or a receiver was
 *                   already waiting and has it
 *   stop first      fire() finds another tag, and returns
 * The lock is held while the value is sent, which may wake a goroutine and start an M: so
 * it ranks before all other locks.
 *
 * Lifetime. References are held by
 *   - the user's handle, until tuco_timer_free()
 *   - the channel, until its last reference is dropped: the user may keep it longer than
 *     the timer
 *   - the wheel while the timer is armed, then the thread that fires it: see timers.h
 * The handle holds a reference to the channel. tuco_after() passes that reference to its
 * caller; if the caller drops it before the timer fires, the alarm is disarmed and freed.
 *
 * When the runtime ends, it drops armed alarms; they then count as stopped. They can be
 * reset when a runtime runs again.
 */

/* The delay before starting a function's goroutine is retried after it found no memory. */
#define RETRY_NS ((int64_t)1000 * 1000)

struct alarm {
    /* Under the lock; while it is armed, see also timers.h. */
    struct rt_timer timer;
    /* Atomic: see 'Lifetime'. */
    rt_atomic(uint32_t) references;

    struct rt_lock lock;

    /* Under the lock. */
    bool armed;        /* will fire with the timer's current tag */
    tuco_chan *chan;   /* NULL: it has a function, or its channel has ended */
    int64_t period_ns; /* 0: fires once */

    /* Immutable. */
    tuco_fn *fn; /* NULL: it has a channel */
    void *arg;
    uint64_t creator_id;
    const void *creator_pc;

    /* Not allocated if it has a function. owner is immutable, the rest is the channel's. */
    struct rt_chan_owner owner;
    tuco_chan own_chan;
    tuco_time tick; /* the channel's buffer: one value */
};

_Static_assert(offsetof(struct alarm, tick) ==
                   offsetof(struct alarm, own_chan) + offsetof(tuco_chan, buffer),
               "the buffer of the channel");

struct tuco_timer {
    struct alarm alarm;
};

struct tuco_ticker {
    struct alarm alarm;
};

/* Drops a reference; returns whether it was the last. */
static bool uncount(struct alarm *a) {
    /* acq_rel: all other uses happen before the alarm is freed. Pairs with uncount() in
       other threads. */
    return rt_sub_acqrel(&a->references, 1) == 1;
}

/* Called outside of the runtime. */
static void alarm_drop_reference(struct alarm *a) {
    if (uncount(a)) {
        rt_free(a);
    }
}

/* The caller holds the lock */

static void alarm_arm_locked(struct alarm *a, int64_t when_ns) {
    rt_assert_held(&a->lock);
    rt_race_release(a);
    a->armed = when_ns != TUCO_NEVER && rt_phase_now() == RT_RUNNING;
    if (a->armed) {
        rt_add_rlx(&a->references, 1); /* relaxed: the caller holds one */
        rt_timer_arm(&a->timer, when_ns);
    }
}

/* Returns whether the alarm was armed. It does not fire any more. */
static bool alarm_disarm_locked(struct alarm *a) {
    rt_assert_held(&a->lock);
    bool was_armed = a->armed;
    a->armed = false;
    if (rt_timer_disarm(&a->timer)) {
        rt_sub_rlx(&a->references, 1); /* relaxed: the caller holds another */
    }
    a->timer.tag++; /* after it is off the wheel, where the firing thread reads it */
    return was_armed;
}

/* Returns whether it prevented a firing that no receiver has seen. */
static bool stop_locked(struct alarm *a) {
    bool was_armed = alarm_disarm_locked(a);
    bool was_full = a->chan != NULL && rt_chan_drain(a->chan);
    return was_armed || was_full;
}

/* Firing */

/* Returns the first time after now that is a whole number of periods after when. Missed
   ticks are skipped, so that the ticker keeps its period and its phase. */
static int64_t next_tick(int64_t when_ns, int64_t period_ns, int64_t now_ns) {
    int64_t late_ns = now_ns > when_ns ? now_ns - when_ns : 0;
    int64_t step_ns;
    int64_t next_ns;
    if (__builtin_add_overflow(late_ns - late_ns % period_ns, period_ns, &step_ns) ||
        __builtin_add_overflow(when_ns, step_ns, &next_ns)) {
        return TUCO_NEVER;
    }
    return next_ns;
}

static void fire_locked(struct alarm *a, int64_t now_ns) {
    rt_race_acquire(a); /* orders the function after the call that armed the alarm */
    a->armed = false;
    if (a->fn != NULL) {
        if (rt_spawn_from_timer(a->fn, a->arg, a->creator_id, a->creator_pc) != 0) {
            alarm_arm_locked(a, now_ns + RETRY_NS);
        }
        return;
    }
    if (a->chan != NULL) {
        (void)rt_chan_try_send_system(a->chan, &now_ns); /* full: the tick is dropped */
    }
    if (a->period_ns > 0) {
        alarm_arm_locked(a, next_tick(a->timer.when_ns, a->period_ns, now_ns));
    }
}

/* Runs on a scheduler's stack or in sysmon; consumes the wheel's reference. */
static void fire(struct rt_timer *t, uint32_t tag, int64_t now_ns) {
    struct alarm *a = rt_container_of(t, struct alarm, timer);
    rt_lock(&a->lock);
    if (a->armed && tag == a->timer.tag) {
        if (now_ns == RT_TIMER_DROPPED) {
            a->armed = false;
        } else {
            fire_locked(a, now_ns);
        }
    }
    rt_unlock(&a->lock);
    if (uncount(a)) {
        rt_free_later(a);
    }
}

/* Common to timers and tickers */

/* The last reference to the channel was dropped: no receiver can see a firing. */
static void alarm_channel_ended(struct rt_chan_owner *owner) {
    struct alarm *a = rt_container_of(owner, struct alarm, owner);
    rt_enter();
    rt_lock(&a->lock);
    alarm_disarm_locked(a);
    a->chan = NULL; /* fire() does not touch it from here on */
    rt_unlock(&a->lock);
    rt_leave();
    alarm_drop_reference(a);
}

static void add_channel(struct alarm *a) {
    a->owner.end = alarm_channel_ended;
    a->chan = &a->own_chan;
    rt_chan_init(a->chan, sizeof a->tick, 1, &a->owner);
    rt_add_rlx(&a->references, 1); /* relaxed: not shared yet */
}

/* Returns an alarm with one reference, or NULL. fn == NULL: it gets a channel. */
static struct alarm *make_alarm(tuco_fn *fn, void *arg, const void *pc) {
    struct alarm *a = rt_alloc(fn == NULL ? sizeof *a : offsetof(struct alarm, owner));
    if (a == NULL) {
        return NULL;
    }
    a->lock = (struct rt_lock)RT_LOCK_INIT(alarm);
    a->timer.fire = fire;
    a->fn = fn;
    a->arg = arg;
    a->creator_id = tuco_id();
    a->creator_pc = pc;
    rt_init(&a->references, 1);
    if (fn == NULL) {
        add_channel(a);
    }
    return a;
}

/* Makes an alarm and arms it. NULL: no memory, or no runtime. */
static struct alarm *alarm_start(tuco_time when, tuco_duration period, tuco_fn *fn,
                                 void *arg, const void *pc) {
    struct alarm *a = make_alarm(fn, arg, pc);
    if (a == NULL) {
        return NULL;
    }
    a->period_ns = period;
    rt_enter();
    bool runs = rt_phase_now() == RT_RUNNING;
    if (likely(runs)) {
        rt_lock(&a->lock);
        alarm_arm_locked(a, when);
        rt_unlock(&a->lock);
    }
    rt_leave();
    if (unlikely(!runs)) {
        rt_free(a); /* never shared */
        return NULL;
    }
    return a;
}

static bool alarm_stop(struct alarm *a) {
    rt_enter();
    rt_lock(&a->lock);
    bool stopped = stop_locked(a);
    rt_unlock(&a->lock);
    rt_leave();
    return stopped;
}

static bool alarm_reset(struct alarm *a, tuco_time when, tuco_duration period) {
    rt_enter();
    rt_lock(&a->lock);
    bool stopped = stop_locked(a);
    a->period_ns = period;
    alarm_arm_locked(a, when);
    rt_unlock(&a->lock);
    rt_leave();
    return stopped;
}

/* Drops the handle's references to the alarm and to the channel. */
static void alarm_end(struct alarm *a) {
    alarm_stop(a);
    tuco_chan_unref(a->chan); /* no lock: it does not change while the handle exists */
    alarm_drop_reference(a);
}

/* After and timers */

tuco_chan *tuco_after(tuco_duration duration) {
    struct alarm *a =
        alarm_start(tuco_deadline(duration), 0, NULL, NULL, __builtin_return_address(0));
    if (a == NULL) {
        return NULL;
    }
    tuco_chan *c = a->chan;  /* valid: the caller gets the reference to it */
    alarm_drop_reference(a); /* there is no handle */
    return c;
}

tuco_timer *tuco_timer_make(tuco_duration duration) {
    return (tuco_timer *)alarm_start(tuco_deadline(duration), 0, NULL, NULL,
                                     __builtin_return_address(0));
}

tuco_timer *tuco_timer_func(tuco_duration duration, tuco_fn *fn, void *arg) {
    rt_spawn_check(fn != NULL);
    return (tuco_timer *)alarm_start(tuco_deadline(duration), 0, fn, arg,
                                     __builtin_return_address(0));
}

tuco_chan *tuco_timer_chan(const tuco_timer *t) {
    return t == NULL ? NULL : t->alarm.chan;
}

bool tuco_timer_stop(tuco_timer *t) {
    if (unlikely(t == NULL)) {
        rt_panic("time: Stop called on uninitialized Timer");
    }
    return alarm_stop(&t->alarm);
}

bool tuco_timer_reset(tuco_timer *t, tuco_duration duration) {
    if (unlikely(t == NULL)) {
        rt_panic("time: Reset called on uninitialized Timer");
    }
    return alarm_reset(&t->alarm, tuco_deadline(duration), 0);
}

void tuco_timer_free(tuco_timer *t) {
    if (t != NULL) {
        alarm_end(&t->alarm);
    }
}

/* Tickers */

tuco_ticker *tuco_ticker_make(tuco_duration period) {
    if (period <= 0) {
        return NULL;
    }
    return (tuco_ticker *)alarm_start(tuco_deadline(period), period, NULL, NULL,
                                      __builtin_return_address(0));
}

tuco_chan *tuco_ticker_chan(const tuco_ticker *t) {
    return t == NULL ? NULL : t->alarm.chan;
}

bool tuco_ticker_stop(tuco_ticker *t) {
    return t != NULL && alarm_stop(&t->alarm);
}

bool tuco_ticker_reset(tuco_ticker *t, tuco_duration period) {
    if (unlikely(period <= 0)) {
        rt_panic("non-positive interval for Ticker.Reset");
    }
    if (unlikely(t == NULL)) {
        rt_panic("time: Reset called on uninitialized Ticker");
    }
    return alarm_reset(&t->alarm, tuco_deadline(period), period);
}

void tuco_ticker_free(tuco_ticker *t) {
    if (t != NULL) {
        alarm_end(&t->alarm);
    }
}
