/* SPDX-License-Identifier: MIT */
/* tuco_ctx_after: starts a function in a goroutine when a context is done. */
#include "base/alloc.h"
#include "base/race.h"
#include "base/compiler.h"
#include "ctx/ctx.h"
#include "sched/syscall/enter.h"
#include "sched/sched.h"
#include "sched/spawn.h"
#include "sched/timers.h"

/* The delay before the start of a goroutine is retried after it found no memory. */
#define RETRY_NS ((int64_t)1000 * 1000)

/* A leaf of the tree. */
struct tuco_ctx_after {
    struct rt_ctx_node node; /* see ctx.h */

    /* The thread that has claimed the call. */
    struct rt_timer timer; /* for the next try; holds a pin while it is armed */

    /* Immutable. */
    tuco_fn *fn;
    void *arg;
    uint64_t creator_id;
    const void *creator_pc;
};

/* Consumes the tree's pin, or passes it to the timer if there is no memory for the
   goroutine. Without a runtime, the function is not called. */
void rt_ctx_call(struct rt_ctx_node *node) {
    tuco_ctx_after *after = rt_container_of(node, tuco_ctx_after, node);
    rt_race_acquire(after); /* orders the function after tuco_ctx_after_make() */
    if (likely(rt_phase_now() == RT_RUNNING) &&
        rt_spawn_from_timer(after->fn, after->arg, after->creator_id,
                            after->creator_pc) != 0) {
        rt_timer_arm(&after->timer, tuco_deadline(RETRY_NS));
        return;
    }
    rt_ctx_unpin(&node->ctx);
}

static void try_again(struct rt_timer *t, uint32_t tag, int64_t now_ns) {
    tuco_ctx_after *after = rt_container_of(t, tuco_ctx_after, timer);
    (void)tag;
    if (now_ns == RT_TIMER_DROPPED) {
        rt_ctx_unpin(&after->node.ctx); /* the runtime has ended */
    } else {
        rt_ctx_call(&after->node);
    }
}

tuco_ctx_after *tuco_ctx_after_make(tuco_ctx *ctx, tuco_fn *fn, void *arg) {
    rt_spawn_check(fn != NULL);
    tuco_ctx_after *after = rt_ctx_make_node(sizeof *after, ctx, RT_CTX_CALL);
    if (after == NULL) {
        return NULL;
    }
    after->fn = fn;
    after->arg = arg;
    after->creator_id = tuco_id();
    after->creator_pc = __builtin_return_address(0);
    after->timer = (struct rt_timer){.fire = try_again};
    rt_race_release(after);
    if (after->node.ctx.above != NULL) {
        /* One pin for the handle, one for the tree. */
        rt_init(&after->node.ctx.counts, RT_CTX_HANDLE + 2 * RT_CTX_PIN);
        rt_enter();
        rt_ctx_link(&after->node);
        rt_leave();
    }
    return after;
}

bool tuco_ctx_after_stop(tuco_ctx_after *after) {
    struct rt_ctx_node *node = &after->node;
    if (!rt_ctx_take(node)) {
        return false;
    }
    if (node->ctx.above != NULL) {
        rt_enter();
        rt_ctx_unlink(node);
        rt_ctx_unpin(&node->ctx); /* the tree's */
        rt_leave();
        rt_free_listed();
    }
    return true;
}

void tuco_ctx_after_free(tuco_ctx_after *after) {
    if (after != NULL) {
        tuco_ctx_unref(&after->node.ctx);
    }
}
