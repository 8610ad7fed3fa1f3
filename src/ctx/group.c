/* SPDX-License-Identifier: MIT */
/* Groups: goroutines that end together, with the error of the first that failed. */
#include "base/alloc.h"
#include "base/atomic.h"
#include "base/die.h"
#include "sched/m.h"
#include "sched/spawn.h"

#include <tuco/ctx.h>
#include <tuco/sync.h>

struct tuco_group {
    /* Immutable. */
    tuco_ctx *ctx;
    tuco_chan *slots; /* a value in it for each that runs; NULL: no limit */

    tuco_wg running;
    rt_atomic(int) error; /* of the first that failed; 0: none has */
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

/* Also when the function ends its goroutine by tuco_exit(). The group may be gone once
   the last has counted itself down. */
static void leave(void *raw) {
    tuco_group *group = raw;
    if (group->slots != NULL) {
        tuco_chan_recv(group->slots, NULL); /* its own value, or one like it */
    }
    tuco_wg_done(&group->running);
}

static void run(struct call *call) {
    tuco_group *group = call->group;
    int error = call->fn(group->ctx, call->arg);
    int none = 0;
    /* acq_rel: the first one stays. Pairs with the acquire in tuco_group_wait(). */
    if (error != 0 && rt_cas_acqrel(&group->error, &none, error)) {
        tuco_ctx_cancel_cause(group->ctx, error);
    }
}

/* The frame is there until the goroutine ends, and so is the deferred call in it. */
static void run_and_leave(void *raw) {
    struct call *call = raw;
    struct rt_defer end;
    struct rt_g *g = rt_m_g(arch_self());
    rt_defer_push(g, &end, leave, call->group);
    run(call);
    rt_defer_run_all(g);
}

int tuco_group_go(tuco_group *group, int (*fn)(tuco_ctx *, void *), void *arg) {
    struct call call = {.group = group, .fn = fn, .arg = arg};
    struct rt_spawn_options o = {
        .copy = &call, .copy_bytes = sizeof call, .pc = __builtin_return_address(0)};
    if (fn == NULL) {
        rt_fatal("go of nil func value");
    }
    if (group->slots != NULL) {
        tuco_chan_send(group->slots, NULL); /* it has no bytes */
    }
    tuco_wg_add(&group->running, 1);
    int error = rt_spawn(run_and_leave, NULL, &o);
    if (error != 0) {
        leave(group);
    }
    return error;
}

int tuco_group_wait(tuco_group *group) {
    tuco_wg_wait(&group->running);
    int error = rt_load_acq(&group->error); /* acquire: pairs with run() */
    tuco_ctx_cancel(group->ctx);
    tuco_ctx_unref(group->ctx);
    tuco_chan_unref(group->slots);
    rt_free(group);
    return error;
}
