/* SPDX-License-Identifier: MIT */
/* A channel from the inside: for select, timers and contexts. */
#ifndef RT_CHAN_CHAN_H
#define RT_CHAN_CHAN_H

#include "base/atomic.h"
#include "base/compiler.h"
#include "sched/spin.h"
#include "sched/wait.h"

#include <stdbool.h>
#include <string.h>
#include <tuco/chan.h>

/* What a channel is part of: a timer or a context. Its buffer is the owner's own affair
   then, and does not show in length and capacity. */
struct rt_chan_owner {
    /* the last reference is gone, and the channel's memory is the owner's again */
    void (*end)(struct rt_chan_owner *owner);
};

/*
 * Invariants, whenever the lock is free:
 *   count > 0         implies  nobody waits in receivers
 *   count < capacity  implies  nobody waits in senders
 *   capacity == 0     implies  not both wait, but for the two ends of one select
 *   closed            implies  nobody waits in either
 * where those who have been claimed elsewhere, and have not taken themselves off yet, do
 * not count as waiting.
 *
 * closed never goes back to 0. So who sees it set, and no value left, knows the outcome
 * of a receive for ever, and needs no lock. A try that seems to fail needs none either:
 * at the moment of the loads it would have failed.
 */
/* All that an operation touches, but for the value, is in the first 64 bytes. */
struct tuco_chan {
    struct rt_spin lock;
    /* Atomic: written under the lock, read without it. */
    rt_atomic(uint32_t) closed;
    rt_atomic(uint32_t) count; /* values in the buffer */

    /* The lock. */
    uint32_t head; /* slot of the next value to be received */
    uint32_t tail; /* slot of the next value to be sent */

    /* Immutable. */
    uint32_t capacity;
    uint32_t elem_bytes;

    rt_atomic(uint32_t) references;

    /* The lock. */
    struct rt_waitq receivers;
    struct rt_waitq senders;

    /* Immutable. */
    struct rt_chan_owner *owner; /* whose memory it is in; NULL: its own */

    char buffer[] __attribute__((aligned(8)));
};

_Static_assert(offsetof(struct tuco_chan, owner) == RT_CACHE_LINE_BYTES, "the hot part");

/* What came of an operation that was tried under the lock. */
enum rt_chan_outcome {
    RT_CHAN_BLOCKED, /* nothing: it would have to wait */
    RT_CHAN_DONE,
    RT_CHAN_MET,   /* a partner waits for rt_chan_meet(), off its queue */
    RT_CHAN_WAKES, /* done, and a partner has to be woken: rt_ready() */
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

/* Tries, under the lock. *partner is set with RT_CHAN_MET and RT_CHAN_WAKES. */
enum rt_chan_outcome rt_chan_send_locked(tuco_chan *c, const void *value,
                                         struct rt_waiter **partner);
enum rt_chan_outcome rt_chan_recv_locked(tuco_chan *c, void *value,
                                         struct rt_waiter **partner);

/* After the lock is released. Passes the value to or from the partner, and wakes it. */
void rt_chan_meet_receiver(tuco_chan *c, const void *value, struct rt_waiter *partner);
void rt_chan_meet_sender(tuco_chan *c, void *value, struct rt_waiter *partner);

/* True if the operation would not block, as far as can be seen without the lock. */
static inline bool rt_chan_can_send(const tuco_chan *c) {
    /* relaxed, all: a hint; who acts on it takes the lock. */
    return rt_load_rlx(&c->count) < c->capacity || !rt_waitq_seems_empty(&c->receivers) ||
           rt_load_rlx(&c->closed) != 0;
}

static inline bool rt_chan_can_recv(const tuco_chan *c) {
    /* relaxed, all: likewise. */
    return rt_load_rlx(&c->count) > 0 || !rt_waitq_seems_empty(&c->senders) ||
           rt_load_rlx(&c->closed) != 0;
}

/* True if the channel is closed and holds nothing, which is for ever. */
static inline bool rt_chan_is_over(const tuco_chan *c) {
    /* acquire: what was done before the close is seen. Pairs with the release in
       tuco_chan_close(). relaxed: after the close, which it is read behind, the count only
       goes down. */
    return rt_load_acq(&c->closed) != 0 && rt_load_rlx(&c->count) == 0;
}

/* Makes a channel of zeroed memory of the owner's, with one reference. Behind it there is
   room for what waits in it. */
void rt_chan_init(tuco_chan *c, uint32_t elem_bytes, uint32_t capacity,
                  struct rt_chan_owner *owner);

/* The public ones for where no goroutine may be switched: when a timer fires. */
int rt_chan_try_send_system(tuco_chan *c, const void *value);
void rt_chan_close_system(tuco_chan *c);

/* Discards what is in the buffer; true if there was something. For a channel that nobody
   waits to send to. No goroutine is switched. */
bool rt_chan_drain(tuco_chan *c);

/* For who has waited for the close of c beside something else, as one of its receivers:
   takes the record off, unless somebody has. */
void rt_chan_unwatch(tuco_chan *c, struct rt_waiter *w);

#endif
