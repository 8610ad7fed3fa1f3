/* SPDX-License-Identifier: MIT */
/* Wait groups: a counter and those who wait for it, in one word. */
#include "base/atomic.h"
#include "base/die.h"
#include "sched/foreign.h"
#include "sched/park.h"
#include "sched/spawn.h"

#include <tuco/sync.h>

/*
 * The word: the counter in the upper half, the number of the last waiter's descriptor in
 * the lower, 0 for none; the others follow by their links. Each change is one
 * compare-and-swap of the whole. So the one who takes the counter to zero takes the
 * waiters with the same instruction, leaves a zero word, and touches the group no more:
 * it may be gone as soon as one of the waiters runs.
 *
 * Invariants: waiters != 0 implies counter > 0. A waiter's link is its own until it is in
 * the word, and belongs to who took the word to zero afterwards.
 */
typedef rt_atomic(uint64_t) wg_word;

_Static_assert(sizeof(tuco_wg) == sizeof(wg_word), "the public struct is the word");

static wg_word *word_of(tuco_wg *wg) {
    return (wg_word *)&wg->tuco_private;
}

static int64_t counter_of(uint64_t w) {
    return (int64_t)(w >> 32);
}

static uint32_t waiters_of(uint64_t w) {
    return (uint32_t)w;
}

/* Links the waiters by pointer, as rt_ready_list() wants them. */
static struct rt_g *waiter_list(uint32_t index) {
    return index == 0 ? NULL : rt_g_of(rt_gpool_at(index));
}

/* Adds n; returns the waiters if that made the counter zero. */
static struct rt_g *add_and_take(wg_word *word, int n) {
    uint64_t w = rt_load_rlx(word); /* relaxed: the compare-and-swap decides */
    uint64_t after;
    int64_t counter;
    do {
        counter = counter_of(w) + n;
        if (unlikely(counter < 0)) {
            rt_panic("sync: negative WaitGroup counter");
        }
        if (unlikely(counter > INT32_MAX)) {
            rt_panic("sync: WaitGroup counter overflow");
        }
        after = counter == 0 ? 0 : (uint64_t)counter << 32 | waiters_of(w);
        /* release: what was done before is seen by who waits; acquire: and by who takes
           it to zero for them. Pairs with commit_wait() and with itself. */
    } while (!rt_cas_acqrel(word, &w, after));
    return counter == 0 ? waiter_list(waiters_of(w)) : NULL;
}

void tuco_wg_add(tuco_wg *wg, int n) {
    /* Before the waiters are off the word, so that a deadlock is not reported with them
       in a foreign thread's hands. */
    rt_foreign_enter();
    struct rt_g *waiters = add_and_take(word_of(wg), n);
    if (waiters != NULL) {
        rt_ready_list(waiters);
    }
    rt_foreign_leave();
}

void tuco_wg_done(tuco_wg *wg) {
    tuco_wg_add(wg, -1);
}

/* Puts the waiter into the word, unless the counter is zero by now. */
static void commit_wait(struct rt_m *m, struct rt_g *g, void *arg) {
    wg_word *word = arg;
    uint64_t w = rt_load_acq(word); /* acquire: as below, for a counter that is zero */
    (void)m;
    do {
        if (counter_of(w) == 0) {
            rt_ready(g);
            return;
        }
        rt_g_link(g, waiter_list(waiters_of(w)));
        /* release: publishes g, its registers and its link; acquire: see
           tuco_wg_add(). */
    } while (!rt_cas_acqrel(word, &w, (w & ~(uint64_t)UINT32_MAX) | g->slot.index));
}

void tuco_wg_wait(tuco_wg *wg) {
    wg_word *word = word_of(wg);
    /* acquire: what was done before the counter became zero is seen. Pairs with
       tuco_wg_add(). */
    if (counter_of(rt_load_acq(word)) == 0) {
        return;
    }
    struct rt_m *m = arch_self();
    if (unlikely(m == NULL)) {
        rt_foreign_wait(commit_wait, word);
    } else {
        rt_park(m, commit_wait, word, RT_WAIT_waitgroup, __builtin_return_address(0));
    }
}

/* tuco_wg_go */

struct wg_call {
    tuco_wg *wg;
    tuco_fn *fn;
    void *arg;
};

static void call_done(void *wg) {
    tuco_wg_done(wg);
}

/* The frame is there until the goroutine ends, and so is the deferred call in it. */
static void run_call(void *raw) {
    struct wg_call *call = raw;
    struct rt_defer done;
    struct rt_g *g = rt_m_g(arch_self());
    rt_defer_push(g, &done, call_done, call->wg);
    call->fn(call->arg);
    rt_defer_run_all(g);
}

int tuco_wg_go(tuco_wg *wg, tuco_fn *fn, void *arg) {
    struct wg_call call = {.wg = wg, .fn = fn, .arg = arg};
    struct rt_spawn_options o = {
        .copy = &call, .copy_bytes = sizeof call, .pc = __builtin_return_address(0)};
    if (fn == NULL) {
        rt_fatal("go of nil func value");
    }
    tuco_wg_add(wg, 1);
    int r = rt_spawn(run_call, NULL, &o);
    if (r != 0) {
        tuco_wg_done(wg);
    }
    return r;
}
