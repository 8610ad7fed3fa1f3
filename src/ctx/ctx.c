/* SPDX-License-Identifier: MIT */
/* Contexts: the tree, its end, and who keeps what alive. The rules are in ctx.h. */
#include "ctx/ctx.h"
#include "base/alloc.h"
#include "base/die.h"
#include "chan/chan.h"
#include "os/os.h"
#include "sched/foreign.h"
#include "sched/sched.h"

#include <errno.h>

/* Neither counted nor freed. */
static tuco_ctx background = {.kind = RT_CTX_BACKGROUND, .deadline = TUCO_NEVER};

/* Lifetime */

static void pin(tuco_ctx *ctx) {
    if (ctx != &background) {
        rt_add_rlx(&ctx->pins, 1); /* relaxed: somebody has one, and keeps it meanwhile */
    }
}

/* In a loop and not by recursion: a chain of contexts may be long. */
/* A context that can be cancelled has its channel with it, in one piece of memory. */
struct cancellable {
    tuco_ctx ctx;
    struct rt_chan_owner owner;
    tuco_chan done;
};

static void channel_ended(struct rt_chan_owner *owner) {
    rt_free(rt_container_of(owner, struct cancellable, owner));
}

void rt_ctx_unpin(tuco_ctx *ctx) {
    /* acq_rel: all that others did with it comes before its end. Pairs with itself. */
    while (ctx != &background && rt_sub_acqrel(&ctx->pins, 1) == 1) {
        tuco_ctx *parent = ctx->parent;
        if (ctx->done != NULL) {
            tuco_chan_unref(ctx->done); /* somebody may have kept the channel */
        } else {
            rt_free(ctx);
        }
        ctx = parent;
    }
}

/* The thread's kind of lock: the holder may be a scheduler that fires a timer. */
static void lock(tuco_ctx *ctx) {
    rt_spin_lock_thread(&ctx->lock);
}

static void unlock(tuco_ctx *ctx) {
    rt_spin_unlock(&ctx->lock);
}

static void unlink_locked(tuco_ctx *ctx) {
    rt_assert_spin_held(&ctx->above->lock);
    if (!ctx->linked) {
        return;
    }
    if (ctx->prev == NULL) {
        ctx->above->below = ctx->next;
    } else {
        ctx->prev->next = ctx->next;
    }
    if (ctx->next != NULL) {
        ctx->next->prev = ctx->prev;
    }
    ctx->linked = false;
}

/* Safe because above is parent, or one from which that was made, and whose memory stays
   as long as that of ctx. */
void rt_ctx_unlink(tuco_ctx *ctx) {
    if (ctx->above != NULL) {
        lock(ctx->above);
        unlink_locked(ctx);
        unlock(ctx->above);
    }
}

tuco_ctx *tuco_ctx_ref(tuco_ctx *ctx) {
    if (ctx != NULL && ctx != &background) {
        rt_add_rlx(&ctx->handles, 1); /* relaxed: the caller has one already */
    }
    return ctx;
}

/* A call that waits for the end of ctx, off the tree; NULL: there is none left. *mine: it
   will not be made, and the pin that it had is the caller's. */
static tuco_ctx *stop_one_call(tuco_ctx *ctx, bool *mine) {
    lock(ctx);
    tuco_ctx *call = ctx->below;
    if (call != NULL) {
        unlink_locked(call);
        *mine = rt_ctx_take(call); /* under the lock: an end would unpin it after that */
    }
    unlock(ctx);
    return call;
}

/* Nobody can cancel ctx any more: calls that wait for that are forgotten. All others
   below it have a handle on it, so there are none. */
static void forget_calls(tuco_ctx *ctx) {
    bool mine;
    tuco_ctx *call;
    while ((call = stop_one_call(ctx, &mine)) != NULL) {
        if (mine) {
            rt_ctx_unpin(call);
        }
    }
}

void tuco_ctx_unref(tuco_ctx *ctx) {
    /* acq_rel: as in rt_ctx_unpin(). */
    while (ctx != NULL && ctx != &background && rt_sub_acqrel(&ctx->handles, 1) == 1) {
        tuco_ctx *parent = ctx->parent;
        rt_foreign_enter();
        rt_ctx_forget_deadline(ctx);
        rt_ctx_unlink(ctx);
        forget_calls(ctx);
        rt_ctx_unpin(ctx);
        rt_foreign_leave();
        ctx = parent;
    }
}

/* The end of a context */

static bool is_over(const tuco_ctx *ctx) {
    return rt_chan_is_over(ctx->done);
}

/* Somebody is closing the channel at this moment. */
static void wait_until_over(const tuco_ctx *ctx) {
    while (!is_over(ctx)) {
        rt_cpu_relax();
        os_thread_yield();
    }
}

bool rt_ctx_take(tuco_ctx *ctx) {
    uint32_t open = RT_CTX_OPEN;
    /* acq_rel: decides who ends it. Pairs with itself, and with rt_ctx_link(). */
    return rt_cas_acqrel(&ctx->state, &open, RT_CTX_ENDED);
}

/* Ends ctx, but not those below; or sees to it that somebody has. */
static void end_one(tuco_ctx *ctx, int err, int cause) {
    bool is_call = ctx->kind == RT_CTX_CALL;
    if (!rt_ctx_take(ctx)) {
        if (!is_call) {
            wait_until_over(ctx);
        }
        return;
    }
    if (is_call) {
        rt_ctx_call(ctx);
        return;
    }
    ctx->err = err;
    ctx->cause = cause;
    rt_ctx_forget_deadline(ctx);
    rt_chan_close_system(ctx->done);
}

/* One of those below, pinned; NULL: there is none, and none comes any more, for ctx is
   ended. */
static tuco_ctx *first_below(tuco_ctx *ctx) {
    lock(ctx);
    tuco_ctx *child = ctx->below;
    if (child != NULL) {
        pin(child); /* safe because it leaves the tree before its last pin goes */
    }
    unlock(ctx);
    return child;
}

/* A walk through the tree: down to the first below, and up again when there are none
   left. Every node on the way down but the root has a pin, and gets its error from the
   one above it. */
void rt_ctx_end(tuco_ctx *root, int err, int cause) {
    tuco_ctx *ctx = root;
    end_one(root, err, cause);
    for (;;) {
        tuco_ctx *child = first_below(ctx);
        if (child != NULL) {
            end_one(child, ctx->err, ctx->cause);
            ctx = child;
            continue;
        }
        rt_ctx_unlink(ctx);
        if (ctx == root) {
            return;
        }
        child = ctx;
        ctx = ctx->above;
        rt_ctx_unpin(child);
    }
}

void tuco_ctx_cancel_cause(tuco_ctx *ctx, int cause) {
    if (ctx->kind == RT_CTX_CANCEL) {
        rt_foreign_enter();
        rt_ctx_end(ctx, -ECANCELED, cause == 0 ? -ECANCELED : cause);
        rt_foreign_leave();
    }
}

void tuco_ctx_cancel(tuco_ctx *ctx) {
    tuco_ctx_cancel_cause(ctx, 0);
}

/* Making */

/* The nearest upwards that can be done, ctx included. */
static tuco_ctx *nearest(tuco_ctx *ctx) {
    return ctx->kind == RT_CTX_CANCEL ? ctx : ctx->above;
}

void *rt_ctx_make(size_t bytes, tuco_ctx *parent, enum rt_ctx_kind kind) {
    if (parent == NULL) {
        rt_panic("cannot create context from nil parent");
    }
    tuco_ctx *ctx = rt_alloc(bytes);
    if (ctx == NULL) {
        return NULL;
    }
    ctx->kind = kind;
    ctx->deadline = parent->deadline;
    ctx->above = nearest(parent);
    rt_init(&ctx->handles, 1);
    rt_init(&ctx->pins, 1);
    ctx->parent = tuco_ctx_ref(parent);
    pin(parent);
    return ctx;
}

tuco_ctx *rt_ctx_make_cancellable(tuco_ctx *parent) {
    struct cancellable *c = rt_ctx_make(sizeof *c, parent, RT_CTX_CANCEL);
    if (c == NULL) {
        return NULL;
    }
    c->owner.end = channel_ended;
    rt_chan_init(&c->done, 0, 0, &c->owner);
    c->ctx.done = &c->done;
    return &c->ctx;
}

static bool link_if_open(tuco_ctx *ctx, tuco_ctx *above) {
    lock(above);
    /* acquire: pairs with rt_ctx_take(). See 'Cancel against derive' in ctx.h. */
    bool open = rt_load_acq(&above->state) == RT_CTX_OPEN;
    if (open) {
        ctx->next = above->below;
        ctx->prev = NULL;
        ctx->linked = true;
        if (ctx->next != NULL) {
            ctx->next->prev = ctx;
        }
        above->below = ctx;
    }
    unlock(above);
    return open;
}

void rt_ctx_link(tuco_ctx *ctx) {
    tuco_ctx *above = ctx->above;
    if (above != NULL && !link_if_open(ctx, above)) {
        wait_until_over(above);
        rt_ctx_end(ctx, above->err, above->cause);
    }
}

tuco_ctx *tuco_ctx_background(void) {
    return &background;
}

tuco_ctx *tuco_ctx_with_cancel(tuco_ctx *parent) {
    tuco_ctx *ctx = rt_ctx_make_cancellable(parent);
    if (ctx != NULL) {
        rt_foreign_enter();
        rt_ctx_link(ctx);
        rt_foreign_leave();
    }
    return ctx;
}

tuco_ctx *tuco_ctx_with_value(tuco_ctx *parent, const void *key, void *value) {
    if (key == NULL) {
        rt_panic("nil key");
    }
    tuco_ctx *ctx = rt_ctx_make(sizeof *ctx, parent, RT_CTX_VALUE);
    if (ctx != NULL) {
        ctx->key = key;
        ctx->value = value;
    }
    return ctx;
}

tuco_ctx *tuco_ctx_without_cancel(tuco_ctx *parent) {
    tuco_ctx *ctx = rt_ctx_make(sizeof *ctx, parent, RT_CTX_DETACHED);
    if (ctx != NULL) {
        ctx->above = NULL;
        ctx->deadline = TUCO_NEVER;
    }
    return ctx;
}

/* Looking */

/* Without a runtime nobody watches the clock: then who asks does. */
static bool is_overdue(const tuco_ctx *ctx) {
    return ctx->deadline != TUCO_NEVER && rt_phase_now() != RT_RUNNING &&
           ctx->deadline <= tuco_now();
}

/* The context by which ctx is done; NULL: it is not. */
static const tuco_ctx *done_by(tuco_ctx *ctx) {
    tuco_ctx *owner = nearest(ctx);
    if (owner == NULL || is_over(owner)) {
        return owner;
    }
    if (!is_overdue(owner)) {
        return NULL;
    }
    rt_foreign_enter();
    rt_ctx_end(owner, -ETIMEDOUT, -ETIMEDOUT);
    rt_foreign_leave();
    return owner;
}

tuco_chan *tuco_ctx_done(tuco_ctx *ctx) {
    const tuco_ctx *owner = nearest(ctx);
    return owner == NULL ? NULL : owner->done;
}

int tuco_ctx_err(tuco_ctx *ctx) {
    const tuco_ctx *owner = done_by(ctx);
    return owner == NULL ? 0 : owner->err;
}

int tuco_ctx_cause(tuco_ctx *ctx) {
    const tuco_ctx *owner = done_by(ctx);
    return owner == NULL ? 0 : owner->cause;
}

void *tuco_ctx_value(tuco_ctx *ctx, const void *key) {
    for (; ctx != NULL; ctx = ctx->parent) {
        if (ctx->kind == RT_CTX_VALUE && ctx->key == key) {
            return ctx->value;
        }
    }
    return NULL;
}

tuco_time tuco_ctx_deadline(tuco_ctx *ctx) {
    return ctx->deadline;
}
