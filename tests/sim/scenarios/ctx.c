/* SPDX-License-Identifier: MIT */
/* Contexts: ends that meet each other, births, deaths, clocks and stops. */
#include "os_sim.h"
#include "scenario.h"

#include <errno.h>

#define CHILDREN_MAX 6
#define SET_MAX      12
#define CAUSE        77

static tuco_wg all;
static tuco_ctx *root;

static tuco_ctx *made(tuco_ctx *ctx) {
    sim_check(ctx != NULL);
    return ctx;
}

static tuco_ctx *child_of(tuco_ctx *parent) {
    return made(sim_pick(0, 2) == 2 ? tuco_ctx_with_timeout(parent, TUCO_SECOND)
                                    : tuco_ctx_with_cancel(parent));
}

static void go(tuco_fn *fn, void *arg) {
    sim_check(tuco_wg_go(&all, fn, arg) == 0);
}

static bool is_done(tuco_ctx *ctx) {
    int err = tuco_ctx_err(ctx);
    bool closed = tuco_chan_try_recv(tuco_ctx_done(ctx), NULL) == -EPIPE;
    sim_check(closed || err == 0); /* an error means closed */
    return closed;
}

static void check_done(tuco_ctx *ctx, int cause) {
    sim_check(is_done(ctx));
    sim_check(tuco_ctx_err(ctx) == -ECANCELED && tuco_ctx_cause(ctx) == cause);
}

static void wait_for(tuco_ctx *ctx) {
    sim_check(tuco_chan_recv(tuco_ctx_done(ctx), NULL) == -EPIPE);
}

/* Cancel against derive: a context made meanwhile is cancelled too, or made done. */

static void derive_and_wait(void *unused) {
    (void)unused;
    sim_pause_some(30);
    tuco_ctx *upper = child_of(root);
    tuco_ctx *lower = child_of(upper);
    if (sim_pick(0, 1)) {
        tuco_ctx_unref(upper); /* the lower one keeps it */
        upper = NULL;
    }
    wait_for(lower);
    check_done(lower, CAUSE);
    tuco_ctx_unref(lower);
    tuco_ctx_unref(upper);
}

static int derive_main(void *unused) {
    (void)unused;
    root = made(tuco_ctx_with_cancel(tuco_ctx_background()));
    sim_search();
    for (int i = sim_pick(1, CHILDREN_MAX); i > 0; i--) {
        go(derive_and_wait, NULL);
    }
    tuco_yield();
    sim_pause_some(60);
    tuco_ctx_cancel_cause(root, CAUSE);
    tuco_wg_wait(&all);
    tuco_ctx_unref(root);
    return SIM_RESULT;
}

SIM_SCENARIO(ctx_derive, "contexts are made from one that is being cancelled") {
    sim_begin_procs(2, 4);
    sim.steady = true; /* no child times out */
    sim_main_twice(derive_main);
}

/* Cancel against cancel: when either returns, all below its own is done. */

static tuco_ctx *line[CHILDREN_MAX]; /* each made from the one before */

static void cancel_and_look(void *raw) {
    int from = (int)(intptr_t)raw;
    sim_pause_some(20);
    tuco_ctx_cancel(line[from]);
    for (int i = from; i < CHILDREN_MAX; i++) {
        check_done(line[i], -ECANCELED);
    }
}

static int cancel_main(void *unused) {
    (void)unused;
    tuco_ctx *parent = tuco_ctx_background();
    for (int i = 0; i < CHILDREN_MAX; i++) {
        parent = line[i] = child_of(parent);
        if (sim_pick(0, 1)) {
            /* the others have a channel when they are looked at */
            tuco_ctx_done(line[i]);
        }
    }
    sim_search();
    for (int i = sim_pick(2, 4); i > 0; i--) {
        go(cancel_and_look, (void *)(intptr_t)sim_pick(0, CHILDREN_MAX - 1));
    }
    cancel_and_look((void *)0);
    tuco_wg_wait(&all);
    for (int i = 0; i < CHILDREN_MAX; i++) {
        tuco_ctx_unref(line[i]);
    }
    return SIM_RESULT;
}

SIM_SCENARIO(ctx_cancel, "several cancel in the same branch of a tree") {
    sim_begin_procs(2, 4);
    sim.steady = true; /* as above */
    sim_main_twice(cancel_main);
}

/* One cancel from above: no context has an error before the one that it was made from. */

static void look_from_below(void *unused) {
    (void)unused;
    int i = sim_pick(1, CHILDREN_MAX - 1);
    while (tuco_ctx_err(line[i]) == 0) {
        tuco_yield();
    }
    sim_check(tuco_ctx_err(line[i - 1]) == -ECANCELED);
}

static int order_main(void *unused) {
    (void)unused;
    tuco_ctx *parent = tuco_ctx_background();
    for (int i = 0; i < CHILDREN_MAX; i++) {
        parent = line[i] = child_of(parent);
        if (sim_pick(0, 1)) {
            tuco_ctx_done(line[i]);
        }
    }
    sim_search();
    for (int i = sim_pick(1, 3); i > 0; i--) {
        go(look_from_below, NULL);
    }
    sim_pause_some(60);
    tuco_ctx_cancel(line[0]);
    tuco_wg_wait(&all);
    for (int i = 0; i < CHILDREN_MAX; i++) {
        tuco_ctx_unref(line[i]);
    }
    return SIM_RESULT;
}

SIM_SCENARIO(ctx_order, "goroutines look at a line of contexts that is being cancelled") {
    sim_begin_procs(2, 3);
    sim.steady = true; /* no child times out */
    sim_main_twice(order_main);
}

/* The first request for the channel, against the end and against another request. */

static void ask_and_wait(void *unused) {
    (void)unused;
    sim_pause_some(40);
    if (sim_pick(0, 1)) {
        is_done(root);
    }
    tuco_chan *done = tuco_ctx_done(root);
    if (sim_pick(0, 1)) {
        tuco_chan_ref(done);
        tuco_ctx_unref(root); /* its last, perhaps */
        sim_check(tuco_chan_recv(done, NULL) == -EPIPE);
        tuco_chan_unref(done);
        return;
    }
    sim_check(tuco_chan_recv(done, NULL) == -EPIPE);
    check_done(root, CAUSE);
    tuco_ctx_unref(root);
}

static int ask_main(void *unused) {
    (void)unused;
    tuco_ctx *upper = child_of(tuco_ctx_background());
    root = child_of(upper);
    sim_search();
    for (int i = sim_pick(1, CHILDREN_MAX); i > 0; i--) {
        tuco_ctx_ref(root);
        go(ask_and_wait, NULL);
    }
    tuco_yield();
    sim_pause_some(60);
    tuco_ctx_cancel_cause(upper, CAUSE);
    sim_check(tuco_ctx_err(root) == -ECANCELED);
    check_done(root, CAUSE);
    tuco_ctx_unref(upper);
    tuco_ctx_unref(root);
    tuco_wg_wait(&all);
    return SIM_RESULT;
}

SIM_SCENARIO(ctx_ask, "the channel of a context is asked for while that is cancelled") {
    sim_begin_procs(2, 4);
    sim.steady = true; /* as above */
    sim_main_twice(ask_main);
}

/* Deadline against cancel against the last reference. */

static int calls;
static int calls_due; /* that will be made for certain */

static void count_call(void *unused) {
    (void)unused;
    calls++;
}

/* A call for a context without references may be made or not; the test accepts both. */
static void live_and_die(void *unused) {
    (void)unused;
    tuco_ctx *upper = made(tuco_ctx_with_cancel(tuco_ctx_background()));
    tuco_time deadline = tuco_deadline(sim_pick(5, 40) * TUCO_MICROSECOND);
    tuco_ctx *timed = made(tuco_ctx_with_deadline(upper, deadline));
    tuco_ctx *lower = made(tuco_ctx_with_cancel(timed));
    tuco_ctx_after_free(
        tuco_ctx_after_make(sim_pick(0, 1) ? timed : lower, count_call, NULL));
    tuco_sleep_until(deadline - sim_pick(0, 8) * TUCO_MICROSECOND);
    sim_pause_some(60);
    if (sim_pick(0, 2) == 2) {
        tuco_ctx_cancel(upper);
        sim_check(is_done(lower) && is_done(timed));
    }
    tuco_ctx_unref(timed);
    tuco_ctx_unref(upper);
    if (sim_pick(0, 1)) {
        wait_for(lower); /* it has them all, and the clock ends it at the latest */
    }
    tuco_ctx_unref(lower);
}

static int deadline_main(void *unused) {
    (void)unused;
    sim_search();
    for (int i = sim_pick(2, CHILDREN_MAX); i > 0; i--) {
        go(live_and_die, NULL);
    }
    tuco_wg_wait(&all);
    return SIM_RESULT;
}

/* Once: a call may still be made when main returns, and is left behind then. */
SIM_SCENARIO(ctx_deadline,
             "contexts are cancelled and given up just when they time out") {
    sim_begin_procs(1, 4);
    sim_check(tuco_run(deadline_main, NULL) == SIM_RESULT);
}

/* Stop against cancel: the call is made, or it was stopped. */

static void stop_call(void *unused) {
    (void)unused;
    tuco_ctx_after *after = tuco_ctx_after_make(root, count_call, NULL);
    sim_check(after != NULL);
    sim_pause_some(40);
    calls_due += !tuco_ctx_after_stop(after);
    sim_check(!tuco_ctx_after_stop(after));
    tuco_ctx_after_free(after);
}

static int stop_main(void *unused) {
    (void)unused;
    root = made(tuco_ctx_with_cancel(tuco_ctx_background()));
    calls = calls_due = 0;
    sim_search();
    for (int i = sim_pick(1, CHILDREN_MAX); i > 0; i--) {
        go(stop_call, NULL);
    }
    tuco_yield();
    sim_pause_some(60);
    tuco_ctx_cancel(root);
    tuco_wg_wait(&all);
    while (tuco_count() > 1) {
        tuco_sleep(TUCO_MICROSECOND);
    }
    sim_check(calls == calls_due);
    tuco_ctx_unref(root);
    return SIM_RESULT;
}

SIM_SCENARIO(ctx_stop, "calls are stopped while their context is cancelled") {
    sim_begin_procs(2, 4);
    sim_main_twice(stop_main);
}

/* A thread sets deadlines while the runtime starts and ends. */

static void set_and_wait(void *unused) {
    (void)unused;
    for (int i = sim_pick(1, 4); i > 0; i--) {
        sim_pause_some(200);
        tuco_ctx *ctx = made(tuco_ctx_with_timeout(tuco_ctx_background(),
                                                   sim_pick(1, 20) * TUCO_MICROSECOND));
        tuco_ctx *given_up = made(tuco_ctx_with_timeout(ctx, TUCO_MICROSECOND / 2));
        tuco_ctx_unref(given_up);
        wait_for(ctx);
        sim_check(tuco_ctx_err(ctx) == -ETIMEDOUT);
        tuco_ctx_unref(ctx);
    }
}

static int started;

static void start_and_stop(void) {
    sim_pause_some(200);
    sim_check(tuco_start() == 0);
    started++;
    sim_sleep_some();
    if (started < 3) {
        sim_check(tuco_stop(TUCO_NEVER) == 0);
    }
}

SIM_SCENARIO(ctx_outside,
             "threads wait for deadlines while the runtime starts and stops") {
    sim_begin_procs(1, 3);
    started = 0;
    int threads = sim_threads_start(set_and_wait, sim_pick(1, 3));
    while (started < 3) {
        start_and_stop();
    }
    sim_threads_join(threads);
    sim_check(tuco_stop(TUCO_NEVER) == 0);
    sim_check(sim_threads_alive() == 1);
}

/* Set against start: the runtime finds a deadline among those set aside, or the caller
   that sets it finds the runtime. A deadline that neither watches never passes, since the
   threads end before the runtime stops. */

static bool runs;

static void set_until_it_runs(void *unused) {
    (void)unused;
    tuco_ctx *set[SET_MAX];
    int count = 0;
    sim_pause_some(60);
    while (count < SET_MAX && !runs) {
        set[count++] =
            made(tuco_ctx_with_timeout(tuco_ctx_background(), TUCO_MILLISECOND));
    }
    while (count > 0) {
        tuco_ctx *ctx = set[--count];
        wait_for(ctx);
        sim_check(tuco_ctx_err(ctx) == -ETIMEDOUT);
        tuco_ctx_unref(ctx);
    }
}

SIM_SCENARIO(ctx_start, "threads set deadlines just when the runtime starts") {
    sim_begin_procs(1, 2);
    for (int i = sim_pick(1, 3); i > 0; i--) {
        runs = false;
        int threads = sim_threads_start(set_until_it_runs, sim_pick(1, 3));
        sim_check(tuco_start() == 0);
        runs = true;
        sim_threads_join(threads);
        sim_check(tuco_stop(TUCO_NEVER) == 0);
    }
    sim_check(sim_threads_alive() == 1);
}
