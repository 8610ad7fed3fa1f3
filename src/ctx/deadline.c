/* SPDX-License-Identifier: MIT */
/* Contexts with a deadline: who watches the clock for them. */
#include "base/compiler.h"
#include "ctx/ctx.h"
#include "sched/foreign.h"
#include "sched/sched.h"
#include "time/timer.h"

#include <errno.h>

/*
 * A timer of the runtime watches, and ends the context when it fires. A context may be
 * there before the runtime runs, and may outlive it: then its timer is set aside, in a
 * wheel that nobody turns, until one runs.
 *
 * The flag aside in the context says so. It is set before others know the context, or
 * when the runtime lets go of its timers and nobody else is inside. It is cleared under
 * the lock, by who takes the timer out, and if that arms it, only afterwards: so who
 * finds it clear finds an armed timer in its wheel.
 */
static struct {
    struct rt_spin lock; /* guards the wheel and the flags; timers are armed under it */
    struct rt_wheel wheel;
} waiting;

static bool a_runtime_runs(void) {
    return rt_phase_now() == RT_RUNNING;
}

/* Sets the timer aside; false: a runtime runs. */
static bool set_aside(tuco_ctx *ctx) {
    rt_spin_lock_thread(&waiting.lock);
    /* Under the lock: rt_ctx_watch_deadlines() takes it after the phase has changed. */
    bool waits = !a_runtime_runs();
    if (waits) {
        ctx->timer.when_ns = ctx->deadline;
        rt_wheel_add(&waiting.wheel, &ctx->timer);
        rt_store_rlx(&ctx->aside, 1); /* relaxed: published with the context */
    }
    rt_spin_unlock(&waiting.lock);
    return waits;
}

/* With a pin for the timer. */
static void watch(tuco_ctx *ctx) {
    if (unlikely(!a_runtime_runs()) && set_aside(ctx)) {
        return;
    }
    rt_timer_arm(&ctx->timer, ctx->deadline);
}

void rt_ctx_watch_deadlines(void) {
    struct rt_timer *t;
    rt_spin_lock_thread(&waiting.lock);
    while ((t = rt_wheel_pop_any(&waiting.wheel)) != NULL) {
        tuco_ctx *ctx = rt_container_of(t, tuco_ctx, timer);
        rt_timer_arm(t, ctx->deadline);
        /* Safe because who fires it, and wins the state, or gives the last handle back,
           comes to take_out() before it unpins, and waits for the lock there. release: it
           is armed. Pairs with rt_ctx_forget_deadline(). */
        rt_store_rel(&ctx->aside, 0);
    }
    rt_spin_unlock(&waiting.lock);
}

/* True: it was set aside or, since a moment ago, armed, and is not any more. */
static RT_COLD bool take_out(tuco_ctx *ctx) {
    rt_spin_lock_thread(&waiting.lock);
    bool waits = rt_load_rlx(&ctx->aside) != 0; /* relaxed: the lock is held; so below */
    if (waits) {
        rt_wheel_remove(&waiting.wheel, &ctx->timer);
        rt_store_rlx(&ctx->aside, 0);
    }
    rt_spin_unlock(&waiting.lock);
    return waits || rt_timer_disarm(&ctx->timer);
}

/* Whoever takes the timer out gives its pin back; if it is firing, that will. */
void rt_ctx_forget_deadline(tuco_ctx *ctx) {
    /* acquire: pairs with rt_ctx_watch_deadlines(). */
    bool aside = rt_load_acq(&ctx->aside) != 0;
    if (unlikely(aside) ? take_out(ctx) : rt_timer_disarm(&ctx->timer)) {
        rt_ctx_unpin(ctx);
    }
}

/* On a scheduler's stack, in the monitor, or at the end of the runtime. */
static void deadline_passed(struct rt_timer *t, uint32_t tag, int64_t now_ns) {
    tuco_ctx *ctx = rt_container_of(t, tuco_ctx, timer);
    (void)tag;
    if (now_ns == RT_TIMER_DROPPED) {
        watch(ctx); /* the next runtime may */
        return;
    }
    rt_ctx_end(ctx, -ETIMEDOUT, -ETIMEDOUT);
    rt_ctx_unpin(ctx);
}

static void set_deadline(tuco_ctx *ctx) {
    rt_add_rlx(&ctx->pins, 1); /* relaxed: nobody else yet */
    ctx->timer.fire = deadline_passed;
    watch(ctx);
}

tuco_ctx *tuco_ctx_with_deadline(tuco_ctx *parent, tuco_time deadline) {
    tuco_ctx *ctx = rt_ctx_make_cancellable(parent);
    if (ctx == NULL) {
        return NULL;
    }
    bool earlier = deadline < ctx->deadline;
    if (earlier) {
        ctx->deadline = deadline;
    }
    bool passed = ctx->deadline <= tuco_now();
    rt_foreign_enter();
    if (earlier && !passed) {
        set_deadline(ctx); /* before it is in the tree, where an end looks for it */
    }
    rt_ctx_link(ctx);
    if (passed) {
        rt_ctx_end(ctx, -ETIMEDOUT, -ETIMEDOUT);
    }
    rt_foreign_leave();
    return ctx;
}

tuco_ctx *tuco_ctx_with_timeout(tuco_ctx *parent, tuco_time duration) {
    return tuco_ctx_with_deadline(parent, tuco_deadline(duration));
}
