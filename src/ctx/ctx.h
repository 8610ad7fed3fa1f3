/* SPDX-License-Identifier: MIT */
/* A context from the inside: the tree of those that can be done. */
#ifndef RT_CTX_CTX_H
#define RT_CTX_CTX_H

/*
 * Two trees. parent leads to whom a context was made from, for values. above leads to the
 * nearest one upwards that can be done, a node, which knows those below it, to tell them;
 * it does not keep them alive.
 *
 * Done. The channel is made when somebody asks for it: who only asks for the error needs
 * none. It is made in memory that the context has had for it from the beginning, so that
 * this cannot fail. One word, the state, says whether the context is ended, how, and
 * whether there is a channel; it is changed under the lock. Who ends the context writes
 * the cause, sets the state and, if there was a channel, closes it without the lock. Who
 * makes the channel makes it closed if the context is ended. A context is done when it is
 * ended and its channel, if there is one, is closed. So
 *   - a context that is ended and has no channel is done: if one is made later, that is
 *     closed from its birth;
 *   - whoever gets an error from tuco_ctx_err() finds the channel closed, made or not yet;
 *   - whoever sees the channel closed gets the error: state and cause were written before.
 * From the state to the close no goroutine is switched, so that anybody may wait for that,
 * a scheduler as well.
 *
 * The end. Who ends a context ends all below it, one after the other, and takes each off
 * the tree when nothing is left below it. Several may do that in the same part of the
 * tree: a cancel of this one and a deadline of that. Each goes through all of its part,
 * and lends a hand with what another has begun: when it finds nothing below any more, all
 * that was there is done, whoever did it.
 *
 * Cancel against derive. Who ends a context sets its state, and looks for those below,
 * under the lock; who puts itself there looks at the state under the same lock. So it is
 * either found, or finds the state and ends itself.
 *
 * Lifetime. Two counts in one word, so that a child takes its share of both by one
 * addition. Handles are references of users and of contexts made from this one. When the
 * last is gone the context leaves the tree: nobody could notice its end. Pins are who may
 * touch its memory: all handles together, the memory of what was made from it, a deadline,
 * an end on its way through; and for a call the tree: that one is made although nobody has
 * a handle on it any more. Each has 32 bits, and nobody looks whether they are enough:
 * 2^31 children of one context would take more than a hundred gigabytes.
 */
#include "base/atomic.h"
#include "chan/chan.h"
#include "sched/spin.h"

#include <stddef.h>
#include <tuco/ctx.h>

enum rt_ctx_kind {
    RT_CTX_BACKGROUND,
    RT_CTX_VALUE,
    RT_CTX_DETACHED, /* tuco_ctx_without_cancel() */
    RT_CTX_CALL,     /* a leaf of the tree that starts a goroutine when it is done */
    /* From here on: can be cancelled, and others can be below it. */
    RT_CTX_CANCEL,
    RT_CTX_TIMED, /* has a deadline of its own: deadline.c */
};

/* Bits of the state; none: open, and nobody has asked for its channel. */
enum rt_ctx_state {
    RT_CTX_ENDED = 1,     /* see 'Done'; a call: made or stopped */
    RT_CTX_TIMED_OUT = 2, /* ended by a deadline */
    RT_CTX_CHANNEL = 4,   /* it has one, for ever */
};

#define RT_CTX_PIN    ((uint64_t)1)
#define RT_CTX_HANDLE ((uint64_t)1 << 32)

struct tuco_ctx {
    /* Immutable once others know it. */
    tuco_ctx *parent;
    struct rt_ctx_node *above; /* NULL: nothing upwards can be done */
    enum rt_ctx_kind kind;

    /* Of a node; here, because there is room. Atomic: written under the lock, read without
       it; of a call: see rt_ctx_take(). */
    rt_atomic(uint32_t) state; /* bits of enum rt_ctx_state */

    rt_atomic(uint64_t) counts; /* see 'Lifetime' */
};

/* In the tree of those that can be done. */
struct rt_ctx_node {
    tuco_ctx ctx;

    struct rt_spin lock; /* guards state, below, and the links of those in it */

    int cause; /* who ended it; published by the state */

    /* The lock. */
    struct rt_ctx_node *below;
    /* The lock of above. */
    struct rt_ctx_node *next;
    struct rt_ctx_node **link; /* what leads to it; NULL: it is not in the tree */
};

/* What can be cancelled. Behind the node nothing is touched until there is a channel. */
struct rt_ctx_cancellable {
    union {
        struct rt_ctx_node node;
        struct rt_chan_owner owner; /* when the node is gone, and the channel kept */
    };
    char channel[sizeof(tuco_chan)] __attribute__((aligned(8)));
};

_Static_assert(_Alignof(tuco_chan) <= 8, "the room for a channel");
_Static_assert(sizeof(struct rt_ctx_node) <= 64, "what making and ending touch");

static inline bool rt_ctx_can_be_cancelled(const tuco_ctx *ctx) {
    return ctx->kind >= RT_CTX_CANCEL;
}

/* The nearest upwards that can be done, ctx included; NULL: there is none. */
static inline struct rt_ctx_node *rt_ctx_nearest(tuco_ctx *ctx) {
    return rt_ctx_can_be_cancelled(ctx) ? rt_container_of(ctx, struct rt_ctx_node, ctx)
                                        : ctx->above;
}

/* A context, or something that begins with one, of so many bytes. What is behind the
   context is not written. NULL: no memory. NULL as parent is misuse. */
void *rt_ctx_make(size_t bytes, tuco_ctx *parent, enum rt_ctx_kind kind);

/* The same for a node, not in the tree yet. */
void *rt_ctx_make_node(size_t bytes, tuco_ctx *parent, enum rt_ctx_kind kind);

/* Dies if there is none. */
void rt_ctx_check_parent(const tuco_ctx *parent);

/* All below: a foreign thread between rt_enter() and rt_leave(). No
   goroutine is switched in any. */

/* Puts it into the tree. If what is above is done, so is this one then. */
void rt_ctx_link(struct rt_ctx_node *node);

/* Takes it off the tree, if it is there. */
void rt_ctx_unlink(struct rt_ctx_node *node);

/* Ends a node and all below it, with -ECANCELED or -ETIMEDOUT: they are done when it
   returns. */
void rt_ctx_end(struct rt_ctx_node *root, int err, int cause);

/* A call: true for the one who takes its state from open. */
bool rt_ctx_take(struct rt_ctx_node *call);

/* One who may touch its memory less, who is inside. */
void rt_ctx_unpin(tuco_ctx *ctx);

/* Nobody needs its deadline any more, which it has: deadline.c. */
void rt_ctx_forget_deadline(struct rt_ctx_node *node);

/* Starts the goroutine of a call: after.c. */
void rt_ctx_call(struct rt_ctx_node *node);

/* A runtime runs: the deadlines that were set before are watched from here on. Called by
   who starts it. */
void rt_ctx_watch_deadlines(void);

#endif
