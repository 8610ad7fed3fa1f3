/* SPDX-License-Identifier: MIT */
/* The context's layout and internal operations. */
#ifndef RT_CTX_CTX_H
#define RT_CTX_CTX_H

/*
 * Two trees. parent is the context that this one was derived from; values are looked up
 * along it. above is the nearest ancestor that can be done, a node. A node has a list of
 * the nodes below it, to end them; the list does not keep them alive.
 *
 * Done. The channel is made when tuco_ctx_done() first requests it; tuco_ctx_err() needs
 * none. The context reserves the memory for it when it is made, so making the channel
 * cannot fail. One word, the state, holds whether the context has ended, how, and whether
 * it has a channel; it changes under the lock. The thread that ends the context writes the
 * cause, sets the state and, if there is a channel, closes it after releasing the lock. A
 * channel that is made after the end is made closed. A context is done when it has ended
 * and its channel, if it has one, is closed. So
 *   - a context that has ended without a channel is done, and a channel made later is
 *     closed from the beginning;
 *   - a caller that gets an error from tuco_ctx_err() finds the channel closed;
 *   - a goroutine that sees the channel closed gets the error: state and cause were written
 *     before.
 * Between setting the state and closing the channel no goroutine is switched. So any
 * thread, a scheduler included, may spin until the channel is closed.
 *
 * The end. The thread that ends a context ends all nodes below it, one after the other, and
 * unlinks each when nothing is left below it. Several threads may do so in overlapping
 * subtrees, for example a cancel of one context and a deadline of another. Each walks its
 * whole subtree and also finishes what another thread has begun. So when it finds nothing
 * below its root, every node that was there is done.
 *
 * Cancel against derive. The thread that ends a context sets its state and reads the list
 * below it under the lock. The thread that links a new child reads the state under the same
 * lock. So either the list contains the child, or the child sees the state and ends itself.
 *
 * Lifetime. Two counts share one word, so that making a child adds to both at once. Handles
 * count the references of users and of contexts derived from this one. When the last handle
 * is dropped, the context leaves the tree, because its end could not be observed. Pins
 * count the parties that may touch its memory: one for all handles together, one for each
 * context derived from it, one for its deadline's timer, one for each rt_ctx_end() that
 * passes through; and for a call one for the tree, because a call is made even if its
 * handle was dropped. Each count has 32 bits and is not checked for overflow: 2^31 children
 * of one context would need more than a hundred gigabytes.
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
    RT_CTX_CALL,     /* a leaf of the tree; its end starts a goroutine: after.c */
    /* The kinds below can be cancelled, and can have nodes below them. */
    RT_CTX_CANCEL,
    RT_CTX_TIMED, /* has a deadline of its own: deadline.c */
};

/* Bits of the state; 0: open, without a channel. */
enum rt_ctx_state {
    RT_CTX_ENDED = 1,     /* see 'Done'; for a call: made or stopped */
    RT_CTX_TIMED_OUT = 2, /* ended by a deadline */
    RT_CTX_CHANNEL = 4,   /* has a channel; never cleared */
};

#define RT_CTX_PIN    ((uint64_t)1)
#define RT_CTX_HANDLE ((uint64_t)1 << 32)

struct tuco_ctx {
    /* Immutable once the context is published. */
    tuco_ctx *parent;
    struct rt_ctx_node *above; /* NULL: no ancestor can be done */
    enum rt_ctx_kind kind;

    /* Belongs to the node; it is here because there is room. Atomic: written under the
       node's lock, also read without it; for a call, see rt_ctx_take(). */
    rt_atomic(uint32_t) state; /* bits of enum rt_ctx_state */

    /* Atomic: see 'Lifetime'. */
    rt_atomic(uint64_t) counts;
};

/* A context or call in the tree of those that can be done. */
struct rt_ctx_node {
    tuco_ctx ctx;

    struct rt_spin lock; /* guards state, below, and the links of the nodes in it */

    /* Written once by the thread that ends the node; published by the state. */
    int cause;

    /* Under the lock. */
    struct rt_ctx_node *below;
    /* Under the lock of above. */
    struct rt_ctx_node *next;
    struct rt_ctx_node **link; /* the pointer to this node; NULL: not in the tree */
};

/* A node that can be cancelled. The memory behind the node is not touched before there is a
   channel. */
struct rt_ctx_cancellable {
    union {
        struct rt_ctx_node node;    /* until the last pin is dropped */
        struct rt_chan_owner owner; /* then, if the channel is still referenced */
    };
    /* Made under node.lock; then the channel's own rules. */
    char channel[sizeof(tuco_chan)] __attribute__((aligned(8)));
};

_Static_assert(_Alignof(tuco_chan) <= 8, "the room for a channel");
_Static_assert(sizeof(struct rt_ctx_node) <= 64, "making and ending touch 64 bytes");

static inline bool rt_ctx_can_be_cancelled(const tuco_ctx *ctx) {
    return ctx->kind >= RT_CTX_CANCEL;
}

/* Returns ctx, or its nearest ancestor, that can be done; NULL: there is none. */
static inline struct rt_ctx_node *rt_ctx_nearest(tuco_ctx *ctx) {
    return rt_ctx_can_be_cancelled(ctx) ? rt_container_of(ctx, struct rt_ctx_node, ctx)
                                        : ctx->above;
}

/* Allocates an object that begins with a context, and initializes the context only. NULL:
   no memory. Panics if parent is NULL. */
void *rt_ctx_make(size_t bytes, tuco_ctx *parent, enum rt_ctx_kind kind);

/* The same for an object that begins with a node. The node is not in the tree yet. */
void *rt_ctx_make_node(size_t bytes, tuco_ctx *parent, enum rt_ctx_kind kind);

/* Panics if parent is NULL. */
void rt_ctx_check_parent(const tuco_ctx *parent);

/* The functions below are called inside the runtime; a foreign thread calls them between
   rt_enter() and rt_leave(). They do not switch goroutines. */

/* Links the node into the tree. If above has ended, the node is done on return. */
void rt_ctx_link(struct rt_ctx_node *node);

/* Unlinks the node if it is in the tree. */
void rt_ctx_unlink(struct rt_ctx_node *node);

/* Ends root and all nodes below it with -ECANCELED or -ETIMEDOUT. They are done when it
   returns. */
void rt_ctx_end(struct rt_ctx_node *root, int err, int cause);

/* Claims a call, to make it or to stop it. Returns true to exactly one thread. */
bool rt_ctx_take(struct rt_ctx_node *call);

/* Drops a pin. The last one frees the memory, by rt_free_later(). */
void rt_ctx_unpin(tuco_ctx *ctx);

/* Disarms the timer of an RT_CTX_TIMED node: deadline.c. */
void rt_ctx_forget_deadline(struct rt_ctx_node *node);

/* Starts the goroutine of a call that the caller has claimed: after.c. */
void rt_ctx_call(struct rt_ctx_node *node);

/* Arms the timers of the deadlines that were set before the runtime ran. Called when it
   starts. */
void rt_ctx_watch_deadlines(void);

#endif
