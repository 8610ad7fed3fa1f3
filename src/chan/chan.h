/* SPDX-License-Identifier: MIT */
/* The channel's layout and internal operations, for select, timers, contexts and
   semaphores. */
#ifndef RT_CHAN_CHAN_H
#define RT_CHAN_CHAN_H

#include "base/atomic.h"
#include "base/compiler.h"
#include "sched/spin.h"
#include "sched/waitq.h"

#include <stdbool.h>
#include <string.h>
#include <tuco/chan.h>

/* The object that a channel is embedded in: a timer or a context. tuco_chan_len() and
   tuco_chan_cap() return 0 for such a channel. */
struct rt_chan_owner {
    /* Called when the last reference is dropped; the owner then frees the memory. */
    void (*end)(struct rt_chan_owner *owner);
};

/*
 * Invariants, whenever the lock is free:
 *   count > 0         implies  receivers is empty
 *   count < capacity  implies  senders is empty
 *   capacity == 0     implies  one of the queues is empty, unless one select waits in both
 *   closed            implies  both queues are empty
 * A record whose goroutine was claimed through another queue or by its deadline, and has
 * not been removed yet, does not count.
 *
 * closed never returns to 0. So a receiver that sees closed set and count 0 needs no lock:
 * every later receive has the same outcome. A try operation that would block according to
 * unlocked loads needs no lock either: it would have failed at the moment of the loads.
 *
 * The first 64 bytes hold all that an operation touches, except the value.
 */
struct tuco_chan {
    struct rt_spin lock;
    /* Atomic: written under the lock, also read without it. */
    rt_atomic(uint32_t) closed;
    rt_atomic(uint32_t) count; /* values in the buffer */

    /* Under the lock. */
    uint32_t head; /* slot of the next value to receive */
    uint32_t tail; /* slot of the next value to send */

    /* Immutable. */
    uint32_t capacity;
    uint32_t elem_bytes;

    /* Atomic: any thread that has a reference. */
    rt_atomic(uint32_t) references;

    /* Under the lock; the first record is also read without it, as a hint. */
    struct rt_waitq receivers;
    struct rt_waitq senders;

    /* Immutable. */
    struct rt_chan_owner *owner; /* NULL: the channel is an allocation of its own */

    /* Under the lock. */
    char buffer[] __attribute__((aligned(8)));
};

_Static_assert(offsetof(struct tuco_chan, owner) == RT_CACHE_LINE_BYTES, "the hot part");

/* The outcome of an operation that was tried under the lock. */
enum rt_chan_outcome {
    RT_CHAN_BLOCKED, /* not done: the caller would have to wait */
    RT_CHAN_DONE,
    RT_CHAN_MET,   /* a partner was claimed; the caller still has to pass the value */
    RT_CHAN_WAKES, /* done; the caller still has to call rt_ready(partner->g) */
    RT_CHAN_CLOSED,
};

static inline void rt_chan_copy(const tuco_chan *c, void *to, const void *from) {
    if (likely(c->elem_bytes == 8)) {
        memcpy(to, from, 8); /* two instructions instead of a call */
    } else if (c->elem_bytes > 0) {
        memcpy(to, from, c->elem_bytes);
    }
}

static inline void rt_chan_zero(const tuco_chan *c, void *value) {
    if (value != NULL && c->elem_bytes > 0) {
        memset(value, 0, c->elem_bytes);
    }
}

/* Try the operation; the caller holds the lock. Set *partner with RT_CHAN_MET and
   RT_CHAN_WAKES. */
enum rt_chan_outcome rt_chan_send_locked(tuco_chan *c, const void *value,
                                         struct rt_waiter **partner);
enum rt_chan_outcome rt_chan_recv_locked(tuco_chan *c, void *value,
                                         struct rt_waiter **partner);

/* Complete RT_CHAN_MET after the lock is released: pass the value to or from the partner,
   and wake it. */
void rt_chan_meet_receiver(tuco_chan *c, const void *value, struct rt_waiter *partner);
void rt_chan_meet_sender(tuco_chan *c, void *value, struct rt_waiter *partner);

/* Whether the operation could proceed, judged without the lock. */
static inline bool rt_chan_can_send(const tuco_chan *c) {
    /* relaxed, all: a hint; a caller that acts on it takes the lock. */
    return rt_load_rlx(&c->count) < c->capacity || !rt_waitq_seems_empty(&c->receivers) ||
           rt_load_rlx(&c->closed) != 0;
}

static inline bool rt_chan_can_recv(const tuco_chan *c) {
    /* relaxed, all: as in rt_chan_can_send() */
    return rt_load_rlx(&c->count) > 0 || !rt_waitq_seems_empty(&c->senders) ||
           rt_load_rlx(&c->closed) != 0;
}

/* Whether the channel is closed and empty. It stays so. */
static inline bool rt_chan_is_over(const tuco_chan *c) {
    /* acquire: sees everything before the close. Pairs with the release in close_locked().
       relaxed: the load comes after that of closed, and from then on count only falls. */
    bool over = rt_load_acq(&c->closed) != 0 && rt_load_rlx(&c->count) == 0;
    if (over) {
        rt_race_acquire(&c->lock);
    }
    return over;
}

/* Makes zeroed memory a channel with one reference. The buffer's elem_bytes * capacity
   bytes follow *c. owner: NULL if the channel is an allocation of its own. */
void rt_chan_init(tuco_chan *c, uint32_t elem_bytes, uint32_t capacity,
                  struct rt_chan_owner *owner);

/* tuco_chan_try_send() and tuco_chan_close() for callers that must not switch goroutines,
   such as a timer that fires. The caller makes sure that it closes c only once. */
int rt_chan_try_send_system(tuco_chan *c, const void *value);
void rt_chan_close_system(tuco_chan *c);

/* Empties the buffer; reports whether it held a value. Only for a channel without waiting
   senders. Does not switch goroutines. */
bool rt_chan_drain(tuco_chan *c);

/* Removes w from c's receivers if it is still there. For a goroutine that waited for the
   close of c and for another event at once. */
void rt_chan_unwatch(tuco_chan *c, struct rt_waiter *w);

#endif
