/* SPDX-License-Identifier: MIT */
/* A context from the inside: the tree of those that can be done. */
#ifndef RT_CTX_CTX_H
#define RT_CTX_CTX_H

/*
 * Two trees. parent leads to whom a context was made from, for values. above leads to the
 * nearest one upwards that can be done, which knows those below it, to tell them; it does
 * not keep them alive.
 *
 * Done. A context is done when its channel is closed, and there is no other sign of it:
 * err and cause are written before, by the one who won the state. So whoever sees the
 * channel closed sees them, and whoever gets an error from tuco_ctx_err() finds the
 * channel closed. From the state to the channel no goroutine is switched, so that anybody
 * may wait for that, a scheduler as well.
 *
 * The end. ('The end') Who ends a context ends all below it, one after the other, and
 * takes each off the tree when nothing is left below it. Several may do that in the same
 * part of the tree: a cancel of this one and a deadline of that. Each goes through all of
 * its part, and lends a hand with what another has begun: when it finds nothing below any
 * more, all that was there is done, whoever did it.
 *
 * Cancel against derive. Who ends a context sets its state before it looks for those
 * below, under the lock; who puts itself there looks at the state under the same lock. So
 * it is either found, or finds the state and ends itself.
 *
 * Lifetime. handles counts references of users and of contexts made from this one. When
 * the last is gone the context leaves the tree: nobody could notice its end. pins counts
 * who may touch its memory: all handles together, the memory of what was made from it, a
 * deadline, an end on its way through; and for a call the tree: that one is made although
 * nobody has a handle on it any more.
 */
#include "base/atomic.h"
#include "base/wheel.h"
#include "sched/spin.h"

#include <stddef.h>
#include <tuco/ctx.h>

enum rt_ctx_kind {
    RT_CTX_BACKGROUND,
    RT_CTX_VALUE,
    RT_CTX_DETACHED, /* tuco_ctx_without_cancel() */
    RT_CTX_CANCEL,   /* with or without a deadline */
    RT_CTX_CALL,     /* a leaf of the tree that starts a goroutine when it is done */
};

enum rt_ctx_state {
    RT_CTX_OPEN,
    RT_CTX_ENDED, /* its channel is closed, or is being closed; a call: made or stopped */
};

struct tuco_ctx {
    /* Immutable once others know it. */
    enum rt_ctx_kind kind;
    tuco_ctx *parent;
    tuco_ctx *above; /* NULL: nothing upwards can be done */
    tuco_time deadline;
    tuco_chan *done; /* NULL for what has none of its own */
    const void *key;
    void *value;

    /* Atomic. */
    rt_atomic(uint32_t) state; /* enum rt_ctx_state */
    rt_atomic(uint32_t) handles;
    rt_atomic(uint32_t) pins;
    rt_atomic(uint32_t) aside; /* 1: the deadline waits for a runtime, see deadline.c */

    /* Who took the state from open; published by the close of the channel. */
    int err;
    int cause;

    struct rt_spin lock; /* guards below, and the links of those in it */
    tuco_ctx *below;
    /* The lock of above. */
    tuco_ctx *next;
    tuco_ctx *prev;
    bool linked;

    struct rt_timer timer; /* while it is armed, or set aside, it has a pin */
};

/* A context, or something that begins with one, of so many bytes; not in the tree yet.
   NULL: no memory. */
void *rt_ctx_make(size_t bytes, tuco_ctx *parent, enum rt_ctx_kind kind);

/* The same for a context that can be cancelled. */
tuco_ctx *rt_ctx_make_cancellable(tuco_ctx *parent);

/* All below: a foreign thread between rt_foreign_enter() and rt_foreign_leave(). No
   goroutine is switched in any. */

/* Puts it into the tree. If what is above is done, so is this one then. */
void rt_ctx_link(tuco_ctx *ctx);

/* Takes it off the tree, if it is there. */
void rt_ctx_unlink(tuco_ctx *ctx);

/* Ends ctx and all below it: they are done when it returns. */
void rt_ctx_end(tuco_ctx *ctx, int err, int cause);

/* True for the one who takes the state from open. */
bool rt_ctx_take(tuco_ctx *ctx);

/* One who may touch its memory less. */
void rt_ctx_unpin(tuco_ctx *ctx);

/* Nobody needs its deadline any more: deadline.c. */
void rt_ctx_forget_deadline(tuco_ctx *ctx);

/* Starts the goroutine of a call: after.c. */
void rt_ctx_call(tuco_ctx *ctx);

/* A runtime runs: the deadlines that were set before are watched from here on. Called by
   who starts it. */
void rt_ctx_watch_deadlines(void);

#endif
