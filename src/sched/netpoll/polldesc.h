/* SPDX-License-Identifier: MIT */
/* The state of one kernel descriptor: for each direction, whether it is ready and which
   goroutine waits for it. The essay is in polldesc.c. */
#ifndef RT_SCHED_NETPOLL_POLLDESC_H
#define RT_SCHED_NETPOLL_POLLDESC_H

#include "base/atomic.h"
#include "base/compiler.h"
#include "base/wheel.h"
#include "sched/netpoll/pollwait.h"
#include "sched/globq.h"
#include "sched/spin.h"
#include <stdbool.h>

enum rt_pollway_name { RT_POLLWAY_READ, RT_POLLWAY_WRITE, RT_POLLWAYS };

struct rt_pollway {
    rt_atomic(uintptr_t) word; /* Atomic: see 'One word' in polldesc.c */

    /* Guards what follows, and EXPIRED. Only timers are armed and disarmed under it. */
    struct rt_spin lock;
    bool armed; /* the timer will fire with its current tag */
    /* a waiter is in the wait, or about to be; cleared without the lock */
    rt_atomic(bool) waits;
    rt_atomic(int64_t) deadline_ns; /* written under the lock, read without */
    struct rt_timer timer; /* while there is a waiter: due at the deadline or earlier */
};

struct rt_polldesc {
    struct rt_pollway ways[RT_POLLWAYS];

    /* Atomic: incremented when the descriptor is freed; never reset while its memory
       exists. */
    rt_atomic(uint32_t) generation;
    uint32_t index;                /* immutable */
    struct rt_polldesc *next_free; /* the pool's lock */
};

/* Returns a descriptor that is neither ready nor closed, without deadlines. NULL: no
   memory. Any thread, outside. */
struct rt_polldesc *rt_polldesc_make(void) RT_NODISCARD;

/* Returns it to the pool. It has no user any more, but late events may still come. Any
   thread. */
void rt_polldesc_free(struct rt_polldesc *d);

/* Frees the memory of all descriptors if none is in use. There is no poller, so no events
   come. Called outside. */
void rt_polldesc_trim(void);

/* The value that the kernel stores with the descriptor and returns with each event. */
static inline uint64_t rt_polldesc_token(const struct rt_polldesc *d) {
    /* relaxed: the caller owns d */
    return (uint64_t)rt_load_rlx(&d->generation) << 32 | d->index;
}

static inline uint32_t rt_polldesc_generation(uint64_t token) {
    return (uint32_t)(token >> 32);
}

/* The descriptor of a token; it may have been freed and reused since. */
struct rt_polldesc *rt_polldesc_of(uint64_t token);

/* The kernel has reported events, bits of enum os_poll_events. Appends the waiters to
   ready: goroutines, and proxies of foreign threads. They are still in the state waiting;
   the caller makes them runnable. Any thread. */
void rt_polldesc_events(struct rt_polldesc *d, uint32_t generation, uint32_t events,
                        struct rt_glist *ready);

/* Ends all waits, because the poller ends: appends the waiters to ready as above. Those
   that wait again find no poller. Called inside. */
void rt_polldesc_wake_all(struct rt_glist *ready);

/* No event since READY was last cleared: only a new event can make a try succeed. */
#define RT_POLLDESC_SILENT 1

/* Call before the first try of an operation: clears READY. One caller for each direction
   at a time. Returns 0, RT_POLLDESC_SILENT, -ECANCELED or -ETIMEDOUT. */
int rt_polldesc_begin(struct rt_polldesc *d, enum rt_pollway_name name) RT_NODISCARD;

/* Waits until another try may succeed. The descriptor is registered, a try since
   rt_polldesc_begin() has returned EAGAIN, and there is one caller for each direction at
   a time, which is outside. Returns 0, which is no guarantee, -ECANCELED or -ETIMEDOUT.
   pc: where the program called the library. */
int rt_polldesc_wait(struct rt_polldesc *d, enum rt_pollway_name name, const void *pc)
    RT_NODISCARD;

/* OS_NEVER: no deadline. Any thread, outside. */
void rt_polldesc_set_deadline(struct rt_polldesc *d, enum rt_pollway_name name,
                              int64_t deadline_ns);

/* Ends present and future waits with -ECANCELED. Any thread, outside. */
void rt_polldesc_close(struct rt_polldesc *d);

#endif
