/* SPDX-License-Identifier: MIT */
/* Groups: goroutines that are cancelled and waited for together, with the first error. */
#include "base/alloc.h"
#include "base/atomic.h"
#include "sched/m.h"
#include "sched/spawn.h"

#include <errno.h>
#include <tuco/ctx.h>
#include <tuco/sync.h>

struct tuco_group {
    /* Immutable. */
    tuco_ctx *ctx;
    tuco_chan *slots; /* holds one value for each running goroutine; NULL: no limit */

    /* Any goroutine of the group, and its owner. */
    tuco_wg running;
    rt_atomic(int) error; /* the first error; 0: none yet */
};

struct call {
    tuco_group *group;
    int (*fn)(tuco_ctx *, void *);
    void *arg;
};

tuco_group *tuco_group_make(tuco_ctx *parent, int limit) {
    if (limit < 0) {
        return NULL;
    }
    tuco_group *group = rt_alloc(sizeof *group);
    if (group == NULL) {
        return NULL;
    }
    group->ctx = tuco_ctx_with_cancel(parent);
    if (limit > 0) {
        group->slots = tuco_chan_make(0, (size_t)limit);
    }
    if (group->ctx == NULL || (limit > 0 && group->slots == NULL)) {
        tuco_ctx_unref(group->ctx);
        tuco_chan_unref(group->slots);
        rt_free(group);
        return NULL;
    }
    return group;
}

static void leave_slot(tuco_group *group) {
    if (group->slots != NULL) {
        tuco_chan_recv(group->slots, NULL); /* any value: they are all alike */
    }
}

/* A deferred call: it runs even if the function calls tuco_exit(). The group may be freed
   once the last goroutine has called tuco_wg_done(). */
static void group_leave(void *raw) {
    tuco_group *group = raw;
    leave_slot(group);
    rt_end_begin();
    tuco_wg_done(&group->running);
}

static void group_run(struct call *call) {
    tuco_group *group = call->group;
    int error = call->fn(group->ctx, call->arg);
    int none = 0;
    /* The first error wins. release: pairs with the acquire in tuco_group_wait(). */
    if (error != 0 && rt_cas_acqrel(&group->error, &none, error)) {
        tuco_ctx_cancel_cause(group->ctx, error);
    }
}

/* The deferred call lives in this frame, which exists until the goroutine ends. */
static void run_and_leave(void *raw) {
    struct call *call = raw;
    struct rt_defer end;
    struct rt_g *g = rt_m_g(arch_self());
    rt_defer_push(g, &end, group_leave, call->group);
    g->fn = (tuco_fn *)(uintptr_t)call->fn; /* for reports, and for habits: see park.c */
    group_run(call);
    rt_defer_run_all(g);
}

/* The caller has taken a place in slots, if there is a limit. */
static int group_start(tuco_group *group, int (*fn)(tuco_ctx *, void *), void *arg,
                       const void *pc) {
    struct call call = {.group = group, .fn = fn, .arg = arg};
    struct rt_spawn_options o = {.copy = &call, .copy_bytes = sizeof call, .pc = pc};
    tuco_wg_add(&group->running, 1);
    int error = rt_spawn(run_and_leave, NULL, &o);
    if (error != 0) {
        leave_slot(group);
        tuco_wg_done(&group->running);
    }
    return error;
}

int tuco_group_go(tuco_group *group, int (*fn)(tuco_ctx *, void *), void *arg) {
    rt_spawn_check(fn != NULL);
    if (group->slots != NULL) {
        tuco_chan_send(group->slots, NULL); /* its elements have no bytes */
    }
    return group_start(group, fn, arg, __builtin_return_address(0));
}

int tuco_group_try_go(tuco_group *group, int (*fn)(tuco_ctx *, void *), void *arg) {
    rt_spawn_check(fn != NULL);
    if (group->slots != NULL && tuco_chan_try_send(group->slots, NULL) != 0) {
        return -EAGAIN;
    }
    return group_start(group, fn, arg, __builtin_return_address(0));
}

int tuco_group_wait(tuco_group *group) {
    tuco_wg_wait(&group->running);
    int error = rt_load_acq(&group->error); /* acquire: pairs with group_run() */
    tuco_ctx_cancel(group->ctx);
    tuco_ctx_unref(group->ctx);
    tuco_chan_unref(group->slots);
    rt_free(group);
    return error;
}
