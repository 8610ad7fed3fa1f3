/* SPDX-License-Identifier: MIT */
/* Contexts: the tree, ends and lifetimes. The rules are in ctx.h. */
#include "ctx/ctx.h"
#include "base/alloc.h"
#include "base/race.h"
#include "base/die.h"
#include "os/os.h"
#include "sched/syscall/enter.h"
#include "sched/sched.h"

#include <errno.h>

/* Neither counted nor freed. */
static tuco_ctx background = {.kind = RT_CTX_BACKGROUND};

/* Lifetime */

static void pin(struct rt_ctx_node *node) {
    /* relaxed: another pin exists and is kept meanwhile */
    rt_add_rlx(&node->ctx.counts, RT_CTX_PIN);
}

static struct rt_ctx_node *node_of(tuco_ctx *ctx) {
    return rt_container_of(ctx, struct rt_ctx_node, ctx);
}

static struct rt_ctx_cancellable *cancellable_of(struct rt_ctx_node *node) {
    return rt_container_of(node, struct rt_ctx_cancellable, node);
}

static bool has_channel(uint32_t state) {
    return (state & RT_CTX_CHANNEL) != 0;
}

/* The channel, made or not. */
static tuco_chan *channel_in(struct rt_ctx_cancellable *c) {
    return (tuco_chan *)(void *)c->channel;
}

static void ctx_channel_ended(struct rt_chan_owner *owner) {
    rt_free(rt_container_of(owner, struct rt_ctx_cancellable, owner));
}

static void ctx_channel_ended_inside(struct rt_chan_owner *owner) {
    rt_free_later(rt_container_of(owner, struct rt_ctx_cancellable, owner));
}

/* inside: the caller is inside the runtime, see 'Not inside' in alloc.h. If a user still
   has a reference to the channel, the memory is freed when that is dropped. */
static void free_memory(tuco_ctx *ctx, bool inside) {
    /* relaxed: no other thread uses the context any more */
    if (rt_ctx_can_be_cancelled(ctx) && has_channel(rt_load_rlx(&ctx->state))) {
        struct rt_ctx_cancellable *c = cancellable_of(node_of(ctx));
        c->owner.end = inside ? ctx_channel_ended_inside : ctx_channel_ended;
        tuco_chan_unref(channel_in(c));
    } else if (inside) {
        rt_free_later(ctx);
    } else {
        rt_free(ctx);
    }
}

/* Drops a pin. Returns true if it freed the memory; then the caller has to drop the pin on
   the parent. The holder of the only pin need not subtract: no other thread can add one. */
static bool unpin_one(tuco_ctx *ctx, bool inside) {
    /* acquire, acq_rel: all other uses happen before the memory is freed. Both pair with
       unpin_one() in other threads and with tuco_ctx_unref(). */
    if (rt_load_acq(&ctx->counts) != RT_CTX_PIN &&
        rt_sub_acqrel(&ctx->counts, RT_CTX_PIN) != RT_CTX_PIN) {
        return false;
    }
    free_memory(ctx, inside);
    return true;
}

/* A loop, not recursion: the chain of parents may be long. */
void rt_ctx_unpin(tuco_ctx *ctx) {
    while (ctx != &background) {
        tuco_ctx *parent = ctx->parent;
        if (!unpin_one(ctx, true /* inside */)) {
            return;
        }
        ctx = parent;
    }
}

/* Without yielding: the caller may be a scheduler that fires a timer. */
static void lock(struct rt_ctx_node *node) {
    rt_spin_lock_thread(&node->lock);
}

static void unlock(struct rt_ctx_node *node) {
    rt_spin_unlock(&node->lock);
}

static void link_locked(struct rt_ctx_node *node, struct rt_ctx_node *above) {
    rt_assert_spin_held(&above->lock);
    node->next = above->below;
    node->link = &above->below;
    if (node->next != NULL) {
        node->next->link = &node->next;
    }
    above->below = node;
}

static void node_unlink_locked(struct rt_ctx_node *node) {
    rt_assert_spin_held(&node->ctx.above->lock);
    if (node->link == NULL) {
        return;
    }
    *node->link = node->next;
    if (node->next != NULL) {
        node->next->link = node->link;
    }
    node->link = NULL;
}

/* Safe because above is the parent or one of its ancestors, and a context pins its
   parent. */
void rt_ctx_unlink(struct rt_ctx_node *node) {
    struct rt_ctx_node *above = node->ctx.above;
    if (above != NULL) {
        lock(above);
        node_unlink_locked(node);
        unlock(above);
    }
}

tuco_ctx *tuco_ctx_ref(tuco_ctx *ctx) {
    if (ctx != NULL && ctx != &background) {
        rt_add_rlx(&ctx->counts, RT_CTX_HANDLE); /* relaxed: the caller holds a handle */
    }
    return ctx;
}

/* Unlinks a call that waits for the end of node; NULL: there is none left. *mine: the call
   was stopped, and the caller has to drop the tree's pin on it. */
static struct rt_ctx_node *stop_one_call(struct rt_ctx_node *node, bool *mine) {
    lock(node);
    struct rt_ctx_node *call = node->below;
    if (call != NULL) {
        node_unlink_locked(call);
        *mine = rt_ctx_take(call); /* under the lock: rt_ctx_end() may free it later */
    }
    unlock(node);
    return call;
}

/* The last handle is gone, so the node cannot be cancelled any more: stops the calls that
   wait for its end. Contexts below it would hold a handle, so there are none. */
static void forget_calls(struct rt_ctx_node *node) {
    bool mine;
    struct rt_ctx_node *call;
    while ((call = stop_one_call(node, &mine)) != NULL) {
        if (mine) {
            rt_ctx_unpin(&call->ctx);
        }
    }
}

static void forget_deadline(struct rt_ctx_node *node) {
    if (node->ctx.kind == RT_CTX_TIMED) {
        rt_ctx_forget_deadline(node);
    }
}

/* The last handle was dropped: the end of the node could not be observed. */
static void leave_tree(struct rt_ctx_node *node) {
    rt_enter();
    forget_deadline(node);
    rt_ctx_unlink(node);
    forget_calls(node);
    rt_leave();
    rt_free_listed();
}

/* Also used for a call, which stays in the tree. */
void tuco_ctx_unref(tuco_ctx *ctx) {
    uint64_t share = RT_CTX_HANDLE;
    /* acq_rel: as in unpin_one() */
    while (ctx != NULL && ctx != &background &&
           rt_sub_acqrel(&ctx->counts, share) / RT_CTX_HANDLE == 1) {
        tuco_ctx *parent = ctx->parent;
        if (rt_ctx_can_be_cancelled(ctx)) {
            leave_tree(node_of(ctx));
        }
        bool gone = unpin_one(ctx, false /* outside */);
        share = gone ? RT_CTX_HANDLE + RT_CTX_PIN : RT_CTX_HANDLE;
        ctx = parent;
    }
}

/* The end of a context */

static bool is_ended(uint32_t state) {
    return (state & RT_CTX_ENDED) != 0;
}

/* See 'Done' in ctx.h. */
static bool is_over(struct rt_ctx_node *node) {
    /* acquire: sees the error, and the channel. Pairs with end_one() and
       make_channel(). */
    uint32_t state = rt_load_acq(&node->ctx.state);
    return is_ended(state) &&
           (!has_channel(state) || rt_chan_is_over(channel_in(cancellable_of(node))));
}

/* Spins while another thread closes the channel. */
static void wait_until_over(struct rt_ctx_node *node) {
    while (!is_over(node)) {
        rt_cpu_relax();
        os_thread_yield();
    }
}

bool rt_ctx_take(struct rt_ctx_node *call) {
    uint32_t open = 0;
    /* relaxed: the winner makes or stops the call. The lock of the context above publishes
       the call, and the winner's pin keeps it. */
    return rt_cas_rlx(&call->ctx.state, &open, RT_CTX_ENDED);
}

/* Returns the first node below, pinned; NULL: there is none, and if node has ended there
   never will be. */
static struct rt_ctx_node *first_below_locked(struct rt_ctx_node *node) {
    rt_assert_spin_held(&node->lock);
    struct rt_ctx_node *child = node->below;
    if (child != NULL) {
        pin(child); /* safe because it is unlinked before its last pin is dropped */
    }
    return child;
}

static void end_call(struct rt_ctx_node *call) {
    if (rt_ctx_take(call)) {
        rt_ctx_call(call);
    }
}

static uint32_t state_of(int err) {
    return err == -ETIMEDOUT ? RT_CTX_ENDED | RT_CTX_TIMED_OUT : RT_CTX_ENDED;
}

/* The node is done. */
static int node_error_of(const struct rt_ctx_node *node) {
    /* relaxed: the caller has seen RT_CTX_ENDED, which is set together with this bit */
    bool timed_out = (rt_load_rlx(&node->ctx.state) & RT_CTX_TIMED_OUT) != 0;
    return timed_out ? -ETIMEDOUT : -ECANCELED;
}

/* Ends node, but not the nodes below. If another thread has ended it, waits until it is
   done. Returns the first node below, pinned. */
static struct rt_ctx_node *end_one(struct rt_ctx_node *node, int err, int cause) {
    if (node->ctx.kind == RT_CTX_CALL) {
        end_call(node);
        return NULL;
    }
    lock(node);
    uint32_t state = rt_load_rlx(&node->ctx.state); /* relaxed: the lock is held */
    if (!is_ended(state)) {
        node->cause = cause;
        rt_race_release(&node->lock); /* here, because done_by() does not take the lock */
        /* release: publishes the cause. Pairs with is_over(). */
        rt_store_rel(&node->ctx.state, state | state_of(err));
    }
    struct rt_ctx_node *child = first_below_locked(node);
    unlock(node);
    if (is_ended(state)) {
        wait_until_over(node);
        return child;
    }
    forget_deadline(node);
    if (has_channel(state)) {
        rt_chan_close_system(channel_in(cancellable_of(node)));
    }
    return child;
}

/* Unlinks node. Returns the first node that is left below above, pinned. */
static struct rt_ctx_node *unlink_and_next(struct rt_ctx_node *node,
                                           struct rt_ctx_node *above) {
    lock(above);
    node_unlink_locked(node);
    struct rt_ctx_node *next = first_below_locked(above);
    unlock(above);
    return next;
}

/* Walks the tree: down to the first node below, and up again when none is left. The walk
   pins every node on its path except the root. A node gets its error from the one above. */
void rt_ctx_end(struct rt_ctx_node *root, int err, int cause) {
    struct rt_ctx_node *node = root;
    struct rt_ctx_node *child = end_one(root, err, cause);
    while (child != NULL || node != root) {
        if (child != NULL) {
            struct rt_ctx_node *above = node;
            node = child;
            child = end_one(node, node_error_of(above), above->cause);
            continue;
        }
        struct rt_ctx_node *ended = node;
        node = ended->ctx.above;
        child = unlink_and_next(ended, node);
        rt_ctx_unpin(&ended->ctx);
    }
    rt_ctx_unlink(root);
}

void tuco_ctx_cancel_cause(tuco_ctx *ctx, int cause) {
    if (rt_ctx_can_be_cancelled(ctx)) {
        rt_enter();
        rt_ctx_end(node_of(ctx), -ECANCELED, cause == 0 ? -ECANCELED : cause);
        rt_leave();
        rt_free_listed();
    }
}

void tuco_ctx_cancel(tuco_ctx *ctx) {
    tuco_ctx_cancel_cause(ctx, 0);
}

/* Making */

void rt_ctx_check_parent(const tuco_ctx *parent) {
    if (parent == NULL) {
        rt_panic("cannot create context from nil parent");
    }
}

void *rt_ctx_make(size_t bytes, tuco_ctx *parent, enum rt_ctx_kind kind) {
    rt_ctx_check_parent(parent);
    tuco_ctx *ctx = rt_alloc_raw(bytes);
    if (ctx == NULL) {
        return NULL;
    }
    ctx->parent = parent;
    ctx->above = rt_ctx_nearest(parent);
    ctx->kind = kind;
    rt_init(&ctx->state, 0);
    rt_init(&ctx->counts, RT_CTX_HANDLE + RT_CTX_PIN);
    if (parent != &background) {
        /* relaxed: the caller holds a handle */
        rt_add_rlx(&parent->counts, RT_CTX_HANDLE + RT_CTX_PIN);
    }
    return ctx;
}

void *rt_ctx_make_node(size_t bytes, tuco_ctx *parent, enum rt_ctx_kind kind) {
    struct rt_ctx_node *node = rt_ctx_make(bytes, parent, kind);
    if (node == NULL) {
        return NULL;
    }
    node->lock = (struct rt_spin){0};
    node->below = NULL;
    node->link = NULL;
    return node;
}

static bool link_if_open(struct rt_ctx_node *node, struct rt_ctx_node *above) {
    lock(above);
    /* relaxed: the lock is held. See 'Cancel against derive' in ctx.h. */
    bool open = !is_ended(rt_load_rlx(&above->ctx.state));
    if (open) {
        link_locked(node, above);
    }
    unlock(above);
    return open;
}

void rt_ctx_link(struct rt_ctx_node *node) {
    struct rt_ctx_node *above = node->ctx.above;
    if (above != NULL && !link_if_open(node, above)) {
        wait_until_over(above);
        rt_ctx_end(node, node_error_of(above), above->cause);
    }
}

tuco_ctx *tuco_ctx_background(void) {
    return &background;
}

tuco_ctx *tuco_ctx_with_cancel(tuco_ctx *parent) {
    struct rt_ctx_cancellable *c = rt_ctx_make_node(sizeof *c, parent, RT_CTX_CANCEL);
    if (c == NULL) {
        return NULL;
    }
    rt_enter();
    rt_ctx_link(&c->node);
    rt_leave();
    return &c->node.ctx;
}

struct value {
    tuco_ctx ctx;
    /* Immutable. */
    const void *key;
    void *value;
};

tuco_ctx *tuco_ctx_with_value(tuco_ctx *parent, const void *key, void *value) {
    if (key == NULL) {
        rt_panic("nil key");
    }
    struct value *v = rt_ctx_make(sizeof *v, parent, RT_CTX_VALUE);
    if (v == NULL) {
        return NULL;
    }
    v->key = key;
    v->value = value;
    return &v->ctx;
}

tuco_ctx *tuco_ctx_without_cancel(tuco_ctx *parent) {
    tuco_ctx *ctx = rt_ctx_make(sizeof *ctx, parent, RT_CTX_DETACHED);
    if (ctx != NULL) {
        ctx->above = NULL;
    }
    return ctx;
}

/* Queries */

/* Whether the deadline has passed and no runtime is there to fire the timer. */
static bool is_overdue(tuco_ctx *ctx) {
    if (likely(rt_phase_now() == RT_RUNNING)) {
        return false;
    }
    tuco_time deadline = tuco_ctx_deadline(ctx);
    return deadline != TUCO_NEVER && deadline <= tuco_now();
}

/* Returns the node whose end makes ctx done; NULL: ctx is not done. */
static const struct rt_ctx_node *done_by(tuco_ctx *ctx) {
    struct rt_ctx_node *node = rt_ctx_nearest(ctx);
    if (node == NULL) {
        return NULL;
    }
    if (is_over(node)) {
        rt_race_acquire(&node->lock);
        return node;
    }
    if (!is_overdue(&node->ctx)) {
        return NULL;
    }
    rt_enter();
    rt_ctx_end(node, -ETIMEDOUT, -ETIMEDOUT);
    rt_leave();
    return node;
}

static RT_COLD void make_channel(struct rt_ctx_node *node) {
    struct rt_ctx_cancellable *c = cancellable_of(node);
    rt_enter(); /* inside, no signal preempts the goroutine while it holds the lock */
    lock(node);
    uint32_t state = rt_load_rlx(&node->ctx.state); /* relaxed: the lock is held */
    if (!has_channel(state)) {
        memset(c->channel, 0, sizeof c->channel);
        rt_chan_init(channel_in(c), 0, 0, &c->owner);
        rt_init(&channel_in(c)->closed, is_ended(state));
        rt_race_release(&channel_in(c)->lock); /* the node's end comes before the close */
        /* release: publishes the channel. Pairs with tuco_ctx_done() and is_over(). */
        rt_store_rel(&node->ctx.state, state | RT_CTX_CHANNEL);
    }
    unlock(node);
    rt_leave();
}

tuco_chan *tuco_ctx_done(tuco_ctx *ctx) {
    struct rt_ctx_node *node = rt_ctx_nearest(ctx);
    if (node == NULL) {
        return NULL;
    }
    /* acquire: sees the channel. Pairs with make_channel(). */
    if (unlikely(!has_channel(rt_load_acq(&node->ctx.state)))) {
        make_channel(node);
    }
    return channel_in(cancellable_of(node));
}

int tuco_ctx_err(tuco_ctx *ctx) {
    const struct rt_ctx_node *node = done_by(ctx);
    return node == NULL ? 0 : node_error_of(node);
}

int tuco_ctx_cause(tuco_ctx *ctx) {
    const struct rt_ctx_node *node = done_by(ctx);
    return node == NULL ? 0 : node->cause;
}

void *tuco_ctx_value(const tuco_ctx *ctx, const void *key) {
    for (; ctx != NULL; ctx = ctx->parent) {
        if (ctx->kind == RT_CTX_VALUE) {
            const struct value *v = rt_container_of(ctx, const struct value, ctx);
            if (v->key == key) {
                return v->value;
            }
        }
    }
    return NULL;
}
