/* SPDX-License-Identifier: MIT */
/* A hierarchical timing wheel: intrusive timers, put in and taken out in constant time. */
#ifndef RT_BASE_WHEEL_H
#define RT_BASE_WHEEL_H

/*
 * Problem. Most timers are deadlines of waits that end well: they are put in and taken
 * out again without ever being due, from any thread, often by the million.
 *
 * Rejected. A heap, as Go has it: each change moves a logarithm's worth of entries, so it
 * costs more the more timers there are, and a timer that is taken out either has to know
 * its place or stays until its time. A calendar of one level: either coarse or long.
 *
 * The way taken. Time is counted in ticks of RT_WHEEL_TICK_NS and a tick's number is read
 * as RT_WHEEL_LEVELS digits of six bits. A timer lies at the level of the highest digit in
 * which its tick differs from the wheel's, in the slot that this digit names. Then
 *   - all timers of a level come before all timers of the levels above it, and those of a
 *     slot before those of the slots after it: the first timer is in the lowest slot of
 *     the lowest level that holds any, which two counts of trailing zeros find;
 *   - a slot is never met again after the wheel has passed it: nothing wraps around;
 *   - when the wheel arrives at a slot's first tick, the slot's timers agree with it in one
 *     digit more than before, and are put into lower levels ("cascade"). A timer is moved
 *     at most once for each level, and not at all if it is taken out before.
 *
 * A deadline is rounded up to a tick, and the present down: no timer is due early, and at
 * most one tick late.
 *
 * Not guarded: the caller has a lock, or is alone.
 */
#include "base/atomic.h"
#include "base/compiler.h"
#include <stdbool.h>

#define RT_WHEEL_TICK_LOG2 10
#define RT_WHEEL_TICK_NS   ((int64_t)1 << RT_WHEEL_TICK_LOG2)

#define RT_WHEEL_SLOTS_LOG2 6
#define RT_WHEEL_SLOTS      64
/* INT64_MAX rounded up is tick 2^53, so 54 bits. */
#define RT_WHEEL_LEVELS 9

/* When nothing is in a wheel. */
#define RT_WHEEL_NEVER INT64_MAX

struct rt_timer;

/* What a timer does when it is due, or when it will never be: see time/timer.h. */
typedef void rt_timer_fn(struct rt_timer *t, uint32_t tag, int64_t now_ns);

/* One is in every goroutine descriptor, so its size matters. The wheel uses next, prev,
   when_ns, level and slot; the others are for whoever owns wheels, see time/timer.h. */
struct rt_timer {
    struct rt_timer *next;
    struct rt_timer *prev;
    int64_t when_ns;   /* the deadline, not rounded */
    rt_timer_fn *fire; /* NULL: wakes the goroutine that it is part of */
    rt_atomic(void *) home;
    uint32_t tag;
    uint8_t level;
    uint8_t slot;
};

_Static_assert(sizeof(struct rt_timer) == 48, "room in a goroutine descriptor");

struct rt_wheel {
    uint64_t tick;   /* how far it has come: what was due before is out */
    uint64_t count;  /* timers in it */
    uint32_t levels; /* bit l: level l is not empty */
    /* the level whose slot at this tick is being spread; 0: none */
    uint32_t spreading;
    uint64_t occupied[RT_WHEEL_LEVELS]; /* bit s: slot s is not empty */
    struct rt_timer
        *slots[RT_WHEEL_LEVELS][RT_WHEEL_SLOTS]; /* circular, from the first */
};

/* Sets up an empty wheel, which was zero, whose time is now_ns. */
void rt_wheel_init(struct rt_wheel *w, int64_t now_ns);

/* Puts t in, to be due at t->when_ns; at once if that has passed. t is in no wheel. */
void rt_wheel_add(struct rt_wheel *w, struct rt_timer *t);

/* Takes t out, which is in w. */
void rt_wheel_remove(struct rt_wheel *w, struct rt_timer *t);

/* Moves the wheel on, up to now_ns, and takes out the first timer that is due on the way:
   by tick, and within a tick in the order in which they were put in, but for those that
   are put in between two calls of which the first ran out of budget. Every timer that is
   touched takes one from *budget, so that the caller can bound the time that it holds its
   lock. NULL: there is none, if something is left of the budget; else there may be. */
struct rt_timer *rt_wheel_pop(struct rt_wheel *w, int64_t now_ns, uint32_t *budget);

/* Takes out any timer, due or not. NULL: the wheel is empty. */
struct rt_timer *rt_wheel_pop_any(struct rt_wheel *w);

/* The earliest moment at which rt_wheel_pop() has something to do: when the first timer is
   due, or before that when a slot with many timers has to be spread. RT_WHEEL_NEVER: the
   wheel is empty. */
int64_t rt_wheel_next(const struct rt_wheel *w);

/* The moment at which a timer for when_ns is due: the next tick. */
static inline int64_t rt_wheel_due_ns(int64_t when_ns) {
    int64_t mask = RT_WHEEL_TICK_NS - 1;
    if (unlikely(when_ns < 0)) {
        return 0; /* so that a difference from now cannot overflow */
    }
    return when_ns > RT_WHEEL_NEVER - mask ? RT_WHEEL_NEVER : (when_ns + mask) & ~mask;
}

#endif
