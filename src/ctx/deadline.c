/* SPDX-License-Identifier: MIT */
/* Contexts with a deadline: who watches the clock for them. */
#include "base/compiler.h"
#include "ctx/ctx.h"
#include "sched/enter.h"
#include "sched/sched.h"
#include "time/timer.h"

#include <errno.h>

/*
 * A timer of the runtime watches, and ends the context when it fires. A context may be
 * there before the runtime runs, and may outlive it: then its timer is set aside, in a
 * wheel that nobody turns, until one runs.
 *
 * The flag aside says so. It is set before others know the context, or when the runtime
 * lets go of its timers and nobody else is inside. It is cleared under the lock, by who
 * takes the timer out, and if that arms it, only afterwards: so who finds it clear finds
 * an armed timer in its wheel.
 */
struct timed {
    struct rt_ctx_cancellable c;
    tuco_time deadline;        /* immutable; earlier than any above */
    struct rt_timer timer;     /* while it is armed, or set aside, it has a pin */
    rt_atomic(uint32_t) aside; /* 1: it waits for a runtime */
};

static struct {
    struct rt_spin lock; /* guards the wheel and the flags; timers are armed under it */
    struct rt_wheel wheel;
} waiting;

static bool a_runtime_runs(void) {
    return rt_phase_now() == RT_RUNNING;
}

static struct timed *timed_of(struct rt_ctx_node *node) {
    return rt_container_of(node, struct timed, c.node);
}

/* Sets the timer aside; false: a runtime runs. */
static bool set_aside(struct timed *t) {
    rt_spin_lock_thread(&waiting.lock);
    /* Under the lock: rt_ctx_watch_deadlines() takes it after the phase has changed. */
    bool waits = !a_runtime_runs();
    if (waits) {
        t->timer.when_ns = t->deadline;
        rt_wheel_add(&waiting.wheel, &t->timer);
        rt_store_rlx(&t->aside, 1); /* relaxed: published with the context */
    }
    rt_spin_unlock(&waiting.lock);
    return waits;
}

/* With a pin for the timer. */
static void watch(struct timed *t) {
    if (unlikely(!a_runtime_runs()) && set_aside(t)) {
        return;
    }
    rt_timer_arm(&t->timer, t->deadline);
}

void rt_ctx_watch_deadlines(void) {
    struct rt_timer *timer;
    rt_spin_lock_thread(&waiting.lock);
    while ((timer = rt_wheel_pop_any(&waiting.wheel)) != NULL) {
        struct timed *t = rt_container_of(timer, struct timed, timer);
        rt_timer_arm(timer, t->deadline);
        /* Safe because who fires it, and wins the state, or gives the last handle back,
           comes to take_out() before it unpins, and waits for the lock there. release: it
           is armed. Pairs with rt_ctx_forget_deadline(). */
        rt_store_rel(&t->aside, 0);
    }
    rt_spin_unlock(&waiting.lock);
}

/* True: it was set aside or, since a moment ago, armed, and is not any more. */
static RT_COLD bool take_out(struct timed *t) {
    rt_spin_lock_thread(&waiting.lock);
    bool waits = rt_load_rlx(&t->aside) != 0; /* relaxed: the lock is held; so below */
    if (waits) {
        rt_wheel_remove(&waiting.wheel, &t->timer);
        rt_store_rlx(&t->aside, 0);
    }
    rt_spin_unlock(&waiting.lock);
    return waits || rt_timer_disarm(&t->timer);
}

/* Whoever takes the timer out gives its pin back; if it is firing, that will. */
void rt_ctx_forget_deadline(struct rt_ctx_node *node) {
    struct timed *t = timed_of(node);
    /* acquire: pairs with rt_ctx_watch_deadlines(). */
    bool aside = rt_load_acq(&t->aside) != 0;
    if (unlikely(aside) ? take_out(t) : rt_timer_disarm(&t->timer)) {
        rt_ctx_unpin(&node->ctx);
    }
}

/* On a scheduler's stack, in the monitor, or at the end of the runtime. */
static void deadline_passed(struct rt_timer *timer, uint32_t tag, int64_t now_ns) {
    struct timed *t = rt_container_of(timer, struct timed, timer);
    (void)tag;
    if (now_ns == RT_TIMER_DROPPED) {
        watch(t); /* the next runtime may */
        return;
    }
    rt_ctx_end(&t->c.node, -ETIMEDOUT, -ETIMEDOUT);
    rt_ctx_unpin(&t->c.node.ctx);
}

/* Before it is in the tree, where an end looks for the timer. */
static void set_timer(struct timed *t) {
    rt_init(&t->c.node.ctx.counts, RT_CTX_HANDLE + 2 * RT_CTX_PIN); /* one is its */
    watch(t);
}

static tuco_ctx *make_timed(tuco_ctx *parent, tuco_time deadline) {
    struct timed *t = rt_ctx_make_node(sizeof *t, parent, RT_CTX_TIMED);
    if (t == NULL) {
        return NULL;
    }
    t->deadline = deadline;
    t->timer = (struct rt_timer){.fire = deadline_passed};
    rt_init(&t->aside, 0);
    bool passed = deadline <= tuco_now();
    rt_enter();
    if (!passed) {
        set_timer(t);
    }
    rt_ctx_link(&t->c.node);
    if (passed) {
        rt_ctx_end(&t->c.node, -ETIMEDOUT, -ETIMEDOUT);
    }
    rt_leave();
    return &t->c.node.ctx;
}

/* With a deadline above that comes first, and may have passed unnoticed. */
static tuco_ctx *make_untimed(tuco_ctx *parent, tuco_time deadline) {
    tuco_ctx *ctx = tuco_ctx_with_cancel(parent);
    if (ctx != NULL && deadline <= tuco_now()) {
        rt_enter();
        rt_ctx_end(rt_ctx_nearest(ctx), -ETIMEDOUT, -ETIMEDOUT);
        rt_leave();
    }
    return ctx;
}

tuco_ctx *tuco_ctx_with_deadline(tuco_ctx *parent, tuco_time deadline) {
    rt_ctx_check_parent(parent);
    tuco_time above = tuco_ctx_deadline(parent);
    return deadline < above ? make_timed(parent, deadline) : make_untimed(parent, above);
}

tuco_ctx *tuco_ctx_with_timeout(tuco_ctx *parent, tuco_time duration) {
    return tuco_ctx_with_deadline(parent, tuco_deadline(duration));
}

/* The nearest is the earliest: what comes later than one above has none of its own. */
tuco_time tuco_ctx_deadline(tuco_ctx *ctx) {
    struct rt_ctx_node *node = rt_ctx_nearest(ctx);
    while (node != NULL && node->ctx.kind != RT_CTX_TIMED) {
        node = node->ctx.above;
    }
    return node == NULL ? TUCO_NEVER : timed_of(node)->deadline;
}
