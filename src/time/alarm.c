/* SPDX-License-Identifier: MIT */
/* The program's own timers and tickers: a timer with a channel, or with a function. */
#include "base/alloc.h"
#include "base/die.h"
#include "base/lock.h"
#include "chan/chan.h"
#include "sched/enter.h"
#include "sched/sched.h"
#include "sched/spawn.h"
#include "time/timer.h"

#include <tuco/go.h>
#include <tuco/time.h>

/*
 * An alarm is what stands behind every tuco_timer and tuco_ticker, and behind the channel
 * of tuco_after().
 *
 * Stop against fire. ('Stop against fire') After a stop or reset has returned, no value of
 * before can be received. A firing takes the timer off its wheel, and then comes here with
 * a copy of the tag that the timer was armed with; stop and reset take it off the wheel if
 * it is still there, give the alarm a new tag, and empty the channel. Both do that under
 * the alarm's lock:
 *   firing first    the value is in the channel when stop empties it, or a receiver had
 *                   been waiting for it and has it
 *   stop first      the firing finds another tag, and leaves
 * The lock is held while the value is sent, which may wake a goroutine and for that start a
 * thread: so it ranks before all others.
 *
 * Who keeps it alive. References are held by
 *   - the program's handle, until tuco_timer_free()
 *   - the channel, until its last reference is gone: the program may keep one for longer
 *     than the timer
 *   - the wheel while it is armed, and whoever fires it after that: see timer.h
 * The handle has a reference to the channel. The channel that tuco_after() makes is the
 * caller's; when that is given up before its time has come, nothing is left behind.
 *
 * When the runtime ends, armed alarms are let go and are as stopped ones. They can be reset
 * when it runs again.
 */

/* When there was no memory for the goroutine of a function, it is tried again after
   this. */
#define RETRY_NS ((int64_t)1000 * 1000)

struct alarm {
    struct rt_timer timer;
    rt_atomic(uint32_t) references;

    struct rt_lock lock;

    /* The lock. */
    bool armed;        /* it will fire with the tag that the timer has now */
    tuco_chan *chan;   /* NULL: it has a function, or its channel is gone */
    int64_t period_ns; /* 0: it fires once */

    /* Immutable. */
    tuco_fn *fn; /* NULL: it has a channel */
    void *arg;
    uint64_t creator_id;
    const void *creator_pc;

    /* Not there if it has a function. */
    struct rt_chan_owner owner;
    tuco_chan own_chan;
    tuco_time tick; /* the one value that can wait in it */
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

/* True: it was the last. */
static bool uncount(struct alarm *a) {
    /* acq_rel: all that others did with it comes before its end. Pairs with itself. */
    return rt_sub_acqrel(&a->references, 1) == 1;
}

/* Outside. */
static void drop_reference(struct alarm *a) {
    if (uncount(a)) {
        rt_free(a);
    }
}

/* Under the lock */

static void arm_locked(struct alarm *a, int64_t when_ns) {
    rt_assert_held(&a->lock);
    a->armed = when_ns != TUCO_NEVER && rt_phase_now() == RT_RUNNING;
    if (a->armed) {
        rt_add_rlx(&a->references, 1); /* relaxed: the caller has one */
        rt_timer_arm(&a->timer, when_ns);
    }
}

/* True: it was armed, and does not fire any more. */
static bool disarm_locked(struct alarm *a) {
    rt_assert_held(&a->lock);
    bool was_armed = a->armed;
    a->armed = false;
    if (rt_timer_disarm(&a->timer)) {
        rt_sub_rlx(&a->references, 1); /* relaxed: the caller has another */
    }
    a->timer.tag++; /* after it has left its wheel, which reads the tag */
    return was_armed;
}

/* True: what it was set to has not been noticed by the program, and will not be. */
static bool stop_locked(struct alarm *a) {
    bool was_armed = disarm_locked(a);
    bool was_full = a->chan != NULL && rt_chan_drain(a->chan);
    return was_armed || was_full;
}

/* Firing */

/* The first tick after now of those that are whole periods from when. Those that were missed
   are left out, so that the ticker keeps its pace and its phase. */
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
    a->armed = false;
    if (a->fn != NULL) {
        if (rt_spawn_from_timer(a->fn, a->arg, a->creator_id, a->creator_pc) != 0) {
            arm_locked(a, now_ns + RETRY_NS);
        }
        return;
    }
    if (a->chan != NULL) {
        (void)rt_chan_try_send_system(a->chan, &now_ns); /* full: who is slow misses it */
    }
    if (a->period_ns > 0) {
        arm_locked(a, next_tick(a->timer.when_ns, a->period_ns, now_ns));
    }
}

/* On a scheduler's stack, or the monitor, with the reference of the wheel. */
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

/* What all kinds have in common */

/* Nobody refers to the channel any more: nothing is left to fire for. */
static void channel_ended(struct rt_chan_owner *owner) {
    struct alarm *a = rt_container_of(owner, struct alarm, owner);
    rt_enter();
    rt_lock(&a->lock);
    disarm_locked(a);
    a->chan = NULL; /* from here on a firing does not touch it */
    rt_unlock(&a->lock);
    rt_leave();
    drop_reference(a);
}

static void add_channel(struct alarm *a) {
    a->owner.end = channel_ended;
    a->chan = &a->own_chan;
    rt_chan_init(a->chan, sizeof a->tick, 1, &a->owner);
    rt_add_rlx(&a->references, 1); /* relaxed: nobody else yet */
}

/* With one reference for the caller. fn NULL: with a channel. */
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

/* Makes one and arms it. NULL: no memory, or no runtime. */
static struct alarm *start(tuco_time when, tuco_time period, tuco_fn *fn, void *arg,
                           const void *pc) {
    struct alarm *a = make_alarm(fn, arg, pc);
    if (a == NULL) {
        return NULL;
    }
    a->period_ns = period;
    rt_enter();
    bool runs = rt_phase_now() == RT_RUNNING;
    if (likely(runs)) {
        rt_lock(&a->lock);
        arm_locked(a, when);
        rt_unlock(&a->lock);
    }
    rt_leave();
    if (unlikely(!runs)) {
        rt_free(a); /* nobody knows it */
        return NULL;
    }
    return a;
}

static bool stop(struct alarm *a) {
    rt_enter();
    rt_lock(&a->lock);
    bool stopped = stop_locked(a);
    rt_unlock(&a->lock);
    rt_leave();
    return stopped;
}

static bool reset(struct alarm *a, tuco_time when, tuco_time period) {
    rt_enter();
    rt_lock(&a->lock);
    bool stopped = stop_locked(a);
    a->period_ns = period;
    arm_locked(a, when);
    rt_unlock(&a->lock);
    rt_leave();
    return stopped;
}

/* The handle's reference, and its reference to the channel, are given up. */
static void end(struct alarm *a) {
    stop(a);
    tuco_chan_unref(a->chan); /* immutable while the handle refers to it */
    drop_reference(a);
}

/* After and timers */

tuco_chan *tuco_after(tuco_time duration) {
    struct alarm *a =
        start(tuco_deadline(duration), 0, NULL, NULL, __builtin_return_address(0));
    if (a == NULL) {
        return NULL;
    }
    tuco_chan *c = a->chan; /* stays, since the caller of this function refers to it */
    drop_reference(a);      /* there is no handle */
    return c;
}

tuco_timer *tuco_timer_make(tuco_time duration) {
    return (tuco_timer *)start(tuco_deadline(duration), 0, NULL, NULL,
                               __builtin_return_address(0));
}

tuco_timer *tuco_timer_func(tuco_time duration, tuco_fn *fn, void *arg) {
    if (unlikely(fn == NULL)) {
        rt_fatal("go of nil func value");
    }
    return (tuco_timer *)start(tuco_deadline(duration), 0, fn, arg,
                               __builtin_return_address(0));
}

tuco_chan *tuco_timer_chan(tuco_timer *t) {
    return t == NULL ? NULL : t->alarm.chan;
}

bool tuco_timer_stop(tuco_timer *t) {
    if (unlikely(t == NULL)) {
        rt_panic("time: Stop called on uninitialized Timer");
    }
    return stop(&t->alarm);
}

bool tuco_timer_reset(tuco_timer *t, tuco_time duration) {
    if (unlikely(t == NULL)) {
        rt_panic("time: Reset called on uninitialized Timer");
    }
    return reset(&t->alarm, tuco_deadline(duration), 0);
}

void tuco_timer_free(tuco_timer *t) {
    if (t != NULL) {
        end(&t->alarm);
    }
}

/* Tickers */

tuco_ticker *tuco_ticker_make(tuco_time period) {
    if (period <= 0) {
        return NULL;
    }
    return (tuco_ticker *)start(tuco_deadline(period), period, NULL, NULL,
                                __builtin_return_address(0));
}

tuco_chan *tuco_ticker_chan(tuco_ticker *t) {
    return t == NULL ? NULL : t->alarm.chan;
}

bool tuco_ticker_stop(tuco_ticker *t) {
    return t != NULL && stop(&t->alarm);
}

bool tuco_ticker_reset(tuco_ticker *t, tuco_time period) {
    if (unlikely(period <= 0)) {
        rt_panic("non-positive interval for Ticker.Reset");
    }
    if (unlikely(t == NULL)) {
        rt_panic("time: Reset called on uninitialized Ticker");
    }
    return reset(&t->alarm, tuco_deadline(period), period);
}

void tuco_ticker_free(tuco_ticker *t) {
    if (t != NULL) {
        end(&t->alarm);
    }
}
