/* SPDX-License-Identifier: MIT */
/* A hierarchical timing wheel: intrusive timers, inserted and removed in constant
   time. */
#ifndef RT_BASE_WHEEL_H
#define RT_BASE_WHEEL_H

/*
 * Problem. Most timers are deadlines of waits that succeed: they are inserted and removed
 * without ever expiring, by any thread, often by the million. The few that expire must
 * not wait for the many that do not.
 *
 * Rejected. A heap, as in Go: an operation costs O(log n), and to remove a timer one must
 * either track its index or leave it until its time. A single-level wheel: either coarse
 * or short. A wheel that cascades a slot when it arrives there: every due timer waits
 * until the last timer of the slot has been moved.
 *
 * Solution. Time is counted in ticks of RT_WHEEL_TICK_NS. Level l has RT_WHEEL_SLOTS
 * slots of 32^l ticks each, used as a ring that starts at the wheel's own tick. 32 slots,
 * half of a ring, are one slot of the level above. A timer is at the lowest level whose
 * ring reaches its tick. So
 *   - a new timer at level l > 0 is at least two slots ahead of the wheel, and a timer of
 *     the next slot always fits into the ring below: the timers of that slot can be moved
 *     down ("spread") one by one, during the whole time of the slot before it;
 *   - the rings overlap. Timers are popped from level 0 while slots of other levels are
 *     being spread;
 *   - the wheel stops at the end of every non-empty slot of any level, so it passes over
 *     no timer. A timer is moved at most once per level, and not at all if it is removed
 *     before.
 *
 * A slot with up to RT_WHEEL_CROWD timers is spread when the wheel arrives there; one
 * with more ("crowded") is spread from one slot ahead. Before the wheel returns a due
 * timer it moves at most RT_WHEEL_CROWD timers of crowded slots. So a crowded slot delays
 * other timers only if the wheel was not turned in time and they are in that slot, or if
 * firing all that is due within the time of a slot takes longer than that time.
 *
 * Late wheels. The wheel learns the time when it is popped. If it was not popped for
 * long, it puts new timers at too high a level, where a crowd may share a slot with a
 * timer that is nearly due. So rt_wheel_add() reports when a slot fills up, and the
 * caller then calls rt_wheel_turn() with the time.
 *
 * A deadline is rounded up to a tick and the present down: a timer never expires early,
 * and at most one tick late.
 *
 * Not thread-safe: the caller holds a lock or is the only user.
 */
#include "base/atomic.h"
#include "base/compiler.h"
#include <stdbool.h>

#define RT_WHEEL_TICK_LOG2 10
#define RT_WHEEL_TICK_NS   ((int64_t)1 << RT_WHEEL_TICK_LOG2)

#define RT_WHEEL_SLOTS 64
/* A slot of level l > 0 spans 2^this slots of the level below: half of that ring. */
#define RT_WHEEL_SPAN_LOG2 5
/* INT64_MAX rounded up is tick 2^53, so 54 bits. */
#define RT_WHEEL_LEVELS 11

/* A slot with more timers than this is spread ahead of its time. */
#define RT_WHEEL_CROWD 32

/* The deadline of an empty wheel. */
#define RT_WHEEL_NEVER INT64_MAX

struct rt_timer;

/* Called when a timer expires, or is dropped because it never will: see
   sched/timers.h. */
typedef void rt_timer_fn(struct rt_timer *t, uint32_t tag, int64_t now_ns);

/* Every goroutine descriptor contains one, so its size matters. The wheel uses next,
   prev, when_ns, level and slot, under the wheel's lock. The other fields belong to the
   code that owns the wheels: see sched/timers.h. */
struct rt_timer {
    struct rt_timer *next;
    struct rt_timer *prev;
    int64_t when_ns;   /* the deadline, not rounded */
    rt_timer_fn *fire; /* NULL: wakes the goroutine that contains the timer */
    rt_atomic(void *) home;
    uint32_t tag;
    uint8_t level;
    uint8_t slot;
};

_Static_assert(sizeof(struct rt_timer) == 48, "room in a goroutine descriptor");

/* Guarded as the wheel is: by the caller's lock. */
struct rt_wheel_slot {
    struct rt_timer *first; /* circular; NULL: empty */
    int64_t earliest_ns; /* a lower bound: the timer that set it may be removed by now */
    uint32_t count;
};

/* Guarded by the caller's lock. */
struct rt_wheel {
    uint64_t tick;                      /* the wheel's time */
    uint64_t count;                     /* timers in the wheel */
    uint32_t levels;                    /* bit l: level l is not empty */
    uint64_t occupied[RT_WHEEL_LEVELS]; /* bit s: slot s is not empty */
    struct rt_wheel_slot slots[RT_WHEEL_LEVELS][RT_WHEEL_SLOTS];
};

/* Sets up a zeroed wheel; its time is now_ns. */
void rt_wheel_init(struct rt_wheel *w, int64_t now_ns);

/* Inserts t, which is in no wheel, to expire at t->when_ns; at once if that has passed.
   Returns true if t's slot has filled up: the caller should call rt_wheel_turn(). */
bool rt_wheel_add(struct rt_wheel *w, struct rt_timer *t);

/* Advances the wheel to now_ns, or to the first timer that is due or slot that ends.
   rt_wheel_next() may be earlier afterwards. */
void rt_wheel_turn(struct rt_wheel *w, int64_t now_ns);

/* Removes t, which is in w. */
void rt_wheel_remove(struct rt_wheel *w, struct rt_timer *t);

/* Advances the wheel up to now_ns and removes the first timer that is due: in tick order,
   in any order within a tick. If more than RT_WHEEL_CROWD timers would have to be moved
   first, a due timer may be returned out of order. Every timer touched takes one from
   *budget, so that the caller can bound how long it holds its lock. NULL: no timer is
   due, if *budget is not 0; otherwise one may be. */
struct rt_timer *rt_wheel_pop(struct rt_wheel *w, int64_t now_ns, uint32_t *budget);

/* Removes any timer, due or not. NULL: the wheel is empty. */
struct rt_timer *rt_wheel_pop_any(struct rt_wheel *w);

/* The earliest time at which rt_wheel_pop() has work: the first timer is due (perhaps one
   that has been removed since), or a crowded slot must be spread. RT_WHEEL_NEVER: the
   wheel is empty. */
int64_t rt_wheel_next(const struct rt_wheel *w);

/* The time at which a timer for when_ns expires: the next tick. */
static inline int64_t rt_wheel_due_ns(int64_t when_ns) {
    int64_t mask = RT_WHEEL_TICK_NS - 1;
    if (unlikely(when_ns < 0)) {
        return 0; /* the difference from now must not overflow */
    }
    return when_ns > RT_WHEEL_NEVER - mask ? RT_WHEEL_NEVER : (when_ns + mask) & ~mask;
}

#endif
