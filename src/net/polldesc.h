/* SPDX-License-Identifier: MIT */
/* What the poller knows of one kernel descriptor: for each direction, whether it is ready
   and who waits for it. The essay is in polldesc.c. */
#ifndef RT_NET_POLLDESC_H
#define RT_NET_POLLDESC_H

#include "base/atomic.h"
#include "base/compiler.h"
#include "base/wheel.h"
#include "sched/globq.h"
#include "sched/spin.h"
#include <stdbool.h>

/* The two directions. */
enum rt_pollway_name { RT_POLLWAY_READ, RT_POLLWAY_WRITE, RT_POLLWAYS };

/* The word of a direction: these bits, and the goroutine that waits, see polldesc.c. */
enum rt_pollway_bits {
    RT_POLLWAY_READY = 1,   /* perhaps there is something to do; nobody has noticed yet */
    RT_POLLWAY_EXPIRED = 2, /* the deadline has passed */
    RT_POLLWAY_CLOSED = 4,  /* for good */
    /* no silence is to be trusted any more: see 'Drained' in fd.c. For good */
    RT_POLLWAY_MORE = 8,
    RT_POLLWAY_BITS = 15,
    RT_POLLWAY_ENDS = 7, /* of these, those that end a wait */
};

struct rt_pollway {
    rt_atomic(uintptr_t) word; /* Atomic: see 'One word' in polldesc.c */

    /* Guards what follows, and EXPIRED. Under it only timers are armed and disarmed. */
    struct rt_spin lock;
    bool armed;            /* the timer will fire with the tag that it has now */
    rt_atomic(bool) waits; /* somebody waits, or is about to; cleared without the lock */
    rt_atomic(int64_t) deadline_ns; /* read without the lock */
    struct rt_timer timer; /* due not later than the deadline, while somebody waits */
};

struct rt_polldesc {
    struct rt_pollway ways[RT_POLLWAYS];

    /* Atomic: goes up when the descriptor is given back, for as long as its memory is
       there. */
    rt_atomic(uint32_t) generation;
    uint32_t index;                /* immutable */
    struct rt_polldesc *next_free; /* the pool's lock */
};

/* One that is neither ready nor closed, and without deadlines. NULL: no memory. Any thread,
   outside. */
struct rt_polldesc *rt_polldesc_make(void) RT_NODISCARD;

/* Gives it back. Nobody uses it any more, but events may still come. Any thread. */
void rt_polldesc_free(struct rt_polldesc *d);

/* Frees the memory of all if none is in use. There is no poller, so that no events come.
   Outside. */
void rt_polldesc_trim(void);

/* What the kernel keeps with the descriptor, and hands out with each event. */
static inline uint64_t rt_polldesc_token(const struct rt_polldesc *d) {
    /* relaxed: its user is the caller */
    return (uint64_t)rt_load_rlx(&d->generation) << 32 | d->index;
}

static inline uint32_t rt_polldesc_generation(uint64_t token) {
    return (uint32_t)(token >> 32);
}

/* The descriptor of a token, though perhaps in other hands by now. */
struct rt_polldesc *rt_polldesc_of(uint64_t token);

/* The poller has been told of events, bits of enum os_poll_events. Those who waited for
   them are appended to ready; they are as they were, waiting, and the caller makes them
   runnable: goroutines, and proxies of foreign threads. Any thread. */
void rt_polldesc_events(struct rt_polldesc *d, uint32_t generation, uint32_t events,
                        struct rt_glist *ready);

/* All who wait look again, because the poller ends: appended to ready as above. Those who
   still have to wait find that there is none. Inside. */
void rt_polldesc_wake_all(struct rt_glist *ready);

/* Nothing has been told since readiness was forgotten last, nor will be but by an event. */
#define RT_POLLDESC_SILENT 1

/* Before the first try of an operation: forgets what was ready before. One caller for each
   direction at a time. Returns 0, RT_POLLDESC_SILENT, -ECANCELED or -ETIMEDOUT. */
int rt_polldesc_begin(struct rt_polldesc *d, enum rt_pollway_name name) RT_NODISCARD;

/* Waits until another try may succeed. The kernel knows of the descriptor, a try since
   rt_polldesc_begin() has failed for want of readiness, and there is one caller for each
   direction at a time, which is outside. Returns 0, which is no promise, -ECANCELED or
   -ETIMEDOUT. pc: where the program called in. */
int rt_polldesc_wait(struct rt_polldesc *d, enum rt_pollway_name name, const void *pc)
    RT_NODISCARD;

/* OS_NEVER: none. Any thread, outside. */
void rt_polldesc_set_deadline(struct rt_polldesc *d, enum rt_pollway_name name,
                              int64_t deadline_ns);

/* Who waits, or will, is told that it is closed. Any thread, outside. */
void rt_polldesc_close(struct rt_polldesc *d);

#endif
