/* SPDX-License-Identifier: MIT */
/* Contexts with a deadline, and the timers that end them. */
#include "base/compiler.h"
#include "ctx/ctx.h"
#include "sched/syscall/enter.h"
#include "sched/sched.h"
#include "sched/timers.h"

#include <errno.h>

/*
 * A timer of the runtime ends the context when it fires. A context may exist before the
 * runtime runs, and may outlive it. Until a runtime runs, its timer is set aside: it is in
 * the wheel below, which is never advanced.
 *
 * The flag aside marks such a timer. It is set before the context is published, or when the
 * runtime ends and drops its timers; no other thread is inside then. It is cleared under
 * the lock by the thread that removes the timer from the wheel. rt_ctx_watch_deadlines()
 * arms the timer before it clears the flag. So a thread that reads 0 finds the timer armed,
 * or already fired.
 */
struct timed {
    struct rt_ctx_cancellable c; /* see ctx.h */
    /* Immutable. */
    tuco_time deadline; /* earlier than that of any ancestor */
    /* Under waiting.lock while it is set aside; otherwise see timers.h. */
    struct rt_timer timer; /* holds a pin while it is armed or set aside */
    /* Atomic: written under waiting.lock, also read without it. */
    rt_atomic(uint32_t) aside; /* 1: the timer is set aside */
};

/* The timers that are set aside. */
static struct {
    struct rt_spin lock; /* may be held while a timer is armed */
    /* Under the lock. */
    struct rt_wheel wheel;
} waiting;

static bool a_runtime_runs(void) {
    return rt_phase_now() == RT_RUNNING;
}

static struct timed *timed_of(struct rt_ctx_node *node) {
    return rt_container_of(node, struct timed, c.node);
}

/* Sets the timer aside; returns false if a runtime runs. */
static bool set_aside(struct timed *t) {
    rt_spin_lock_thread(&waiting.lock);
    /* Read under the lock: rt_ctx_watch_deadlines() takes it after the phase change. */
    bool waits = !a_runtime_runs();
    if (waits) {
        t->timer.when_ns = t->deadline;
        rt_wheel_add(&waiting.wheel, &t->timer);
        rt_store_rlx(&t->aside, 1); /* relaxed: no other thread uses the context now */
    }
    rt_spin_unlock(&waiting.lock);
    return waits;
}

/* Arms the timer or sets it aside. Takes over the caller's pin. */
static void deadline_watch(struct timed *t) {
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
        /* Safe although the timer may fire at once: the thread that ends the context, or
           drops its last handle, sees aside set, waits for the lock in timed_take_out(),
           and drops pins only afterwards. release: publishes the armed timer. Pairs with
           rt_ctx_forget_deadline(). */
        rt_store_rel(&t->aside, 0);
    }
    rt_spin_unlock(&waiting.lock);
}

/* Removes a timer that is set aside, or that was armed since aside was read. Returns false
   if it has fired. */
static RT_COLD bool timed_take_out(struct timed *t) {
    rt_spin_lock_thread(&waiting.lock);
    bool waits = rt_load_rlx(&t->aside) != 0; /* relaxed, both: the lock is held */
    if (waits) {
        rt_wheel_remove(&waiting.wheel, &t->timer);
        rt_store_rlx(&t->aside, 0);
    }
    rt_spin_unlock(&waiting.lock);
    return waits || rt_timer_disarm(&t->timer);
}

/* The thread that removes the timer drops its pin; if the timer is firing,
   deadline_passed() does. */
void rt_ctx_forget_deadline(struct rt_ctx_node *node) {
    struct timed *t = timed_of(node);
    /* acquire: sees the armed timer. Pairs with rt_ctx_watch_deadlines(). */
    bool aside = rt_load_acq(&t->aside) != 0;
    if (unlikely(aside) ? timed_take_out(t) : rt_timer_disarm(&t->timer)) {
        rt_ctx_unpin(&node->ctx);
    }
}

/* Runs on a scheduler's stack, in sysmon, or when the runtime ends. */
static void deadline_passed(struct rt_timer *timer, uint32_t tag, int64_t now_ns) {
    struct timed *t = rt_container_of(timer, struct timed, timer);
    (void)tag;
    if (now_ns == RT_TIMER_DROPPED) {
        deadline_watch(t); /* for the next runtime */
        return;
    }
    rt_ctx_end(&t->c.node, -ETIMEDOUT, -ETIMEDOUT);
    rt_ctx_unpin(&t->c.node.ctx);
}

/* Called before the node is in the tree, where rt_ctx_end() would look for the timer. */
static void set_timer(struct timed *t) {
    /* One pin for the handle, one for the timer. */
    rt_init(&t->c.node.ctx.counts, RT_CTX_HANDLE + 2 * RT_CTX_PIN);
    deadline_watch(t);
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

/* An ancestor's deadline is earlier. It may have passed without its timer having fired. */
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

tuco_ctx *tuco_ctx_with_timeout(tuco_ctx *parent, tuco_duration duration) {
    return tuco_ctx_with_deadline(parent, tuco_deadline(duration));
}

/* The nearest deadline is the earliest: a context gets one only if it is earlier than that
   of its ancestors. */
tuco_time tuco_ctx_deadline(const tuco_ctx *ctx) {
    while (ctx->kind != RT_CTX_TIMED) {
        if (ctx->above == NULL) {
            return TUCO_NEVER;
        }
        ctx = &ctx->above->ctx;
    }
    return rt_container_of(ctx, const struct timed, c.node.ctx)->deadline;
}
