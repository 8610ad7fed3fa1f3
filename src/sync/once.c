/* SPDX-License-Identifier: MIT */
/* Once: the first caller runs the function; the others return after it has ended. */
#include "base/atomic.h"
#include "base/die.h"
#include "base/race.h"
#include "sched/syscall/enter.h"
#include "sched/thread/foreign.h"
#include "sched/park.h"
#include "sched/spawn.h"
#include "sync/waiting.h"

#include <tuco/sync.h>

/*
 * The upper half of the word is the state. While the function runs, the lower half is the
 * descriptor index of the last waiter, 0 for none; the other waiters follow by their links,
 * as in a wait group. The goroutine that ran the function stores DONE and claims the
 * waiters with the same instruction, which is its last access to the object.
 */
#define NEW     UINT64_C(0)
#define RUNNING (UINT64_C(1) << 32)
#define DONE    (UINT64_C(2) << 32)

typedef rt_atomic(uint64_t) once_word;

_Static_assert(sizeof(tuco_once) == sizeof(once_word), "the public struct is the word");

static void once_finish(void *word) {
    rt_race_release(word);
    /* Enter before claiming the waiters, so that checkdead does not report a deadlock while
       a foreign thread is about to wake them. */
    rt_enter();
    /* release: publishes what the function did. Pairs with the acquire in tuco_once_do(),
       do_slow() and commit_once(). acquire: sees the waiters' links. Pairs with the release
       in commit_once(). */
    struct rt_g *waiters = rt_waiter_list(rt_swap_acqrel((once_word *)word, DONE));
    if (waiters != NULL) {
        rt_ready_list(waiters);
    }
    rt_leave();
}

/* Removes d from g's deferred calls. The function may have added others. */
static void defer_take_back(struct rt_g *g, struct rt_defer *d) {
    struct rt_defer **link = &g->defers;
    while (*link != d) {
        link = &(*link)->next;
    }
    *link = d->next;
}

/* If fn exits the goroutine, once_finish() runs as a deferred call; this frame is valid
   until then. A foreign thread cannot exit this way. */
static void once_run(once_word *word, tuco_fn *fn, void *arg) {
    struct rt_defer done;
    struct rt_m *m = arch_self();
    struct rt_g *g = m == NULL ? NULL : rt_m_g(m);
    if (g != NULL) {
        rt_defer_push(g, &done, once_finish, word);
    }
    fn(arg);
    if (g != NULL) {
        defer_take_back(g, &done);
    }
    once_finish(word);
}

/* Puts the waiter into the word, or readies it if the function has ended by now. */
static void commit_once(struct rt_m *m, struct rt_g *g, void *arg) {
    once_word *word = arg;
    uint64_t w = rt_load_acq(word); /* acquire: as in tuco_once_do() */
    (void)m;
    do {
        if (w == DONE) {
            rt_ready(g);
            return;
        }
        rt_g_link(g, rt_waiter_list(w));
        /* release: publishes g, its registers and its link. Pairs with once_finish(). */
    } while (!rt_cas_acqrel(word, &w, RUNNING | g->slot.index));
}

static RT_NOINLINE void do_slow(once_word *word, tuco_fn *fn, void *arg, const void *pc) {
    uint64_t w = NEW;
    if (fn == NULL) {
        rt_fatal("once of nil func value");
    }
    /* The winner runs the function. acquire: if it is DONE, as in tuco_once_do(). */
    if (rt_cas_acqrel(word, &w, RUNNING)) {
        once_run(word, fn, arg);
        return;
    }
    if (w == DONE) {
        return;
    }
    struct rt_m *m = arch_self();
    if (m == NULL) {
        rt_foreign_wait(commit_once, word);
    } else {
        rt_park(rt_m_enter(m), commit_once, word, RT_WAIT_once, pc);
        rt_m_leave(arch_self());
    }
}

void tuco_once_do(tuco_once *o, tuco_fn *fn, void *arg) {
    once_word *word = (once_word *)&o->tuco_private;
    /* acquire: sees what the function did. Pairs with once_finish(). */
    if (unlikely(rt_load_acq(word) != DONE)) {
        do_slow(word, fn, arg, __builtin_return_address(0));
    }
    rt_race_acquire(word);
}
