/* SPDX-License-Identifier: MIT */
/* Once: a function that is called by the first who comes, and has ended for all
   others. */
#include "base/atomic.h"
#include "base/die.h"
#include "sched/enter.h"
#include "sched/park.h"
#include "sched/spawn.h"

#include <tuco/sync.h>

/*
 * The word: the state in the upper half; while the function runs, the number of the last
 * waiter's descriptor in the lower, 0 for none; the others follow by their links, as in a
 * wait group. The one who ran the function writes DONE and takes the waiters with the
 * same instruction, which is its last on the object.
 */
#define NEW     UINT64_C(0)
#define RUNNING (UINT64_C(1) << 32)
#define DONE    (UINT64_C(2) << 32)

typedef rt_atomic(uint64_t) once_word;

_Static_assert(sizeof(tuco_once) == sizeof(once_word), "the public struct is the word");

static struct rt_g *waiter_list(uint64_t w) {
    uint32_t index = (uint32_t)w;
    return index == 0 ? NULL : rt_g_of(rt_gpool_at(index));
}

static void finish(void *word) {
    /* Before the waiters are off the word, so that a deadlock is not reported with them
       in a foreign thread's hands. */
    rt_enter();
    /* release: what the function did is seen by all who return later. Pairs with the
       acquire in tuco_once_do() and commit_wait(). */
    struct rt_g *waiters = waiter_list(rt_swap_acqrel((once_word *)word, DONE));
    if (waiters != NULL) {
        rt_ready_list(waiters);
    }
    rt_leave();
}

/* Takes d out of g's deferred calls. The function may have added others. */
static void defer_take_back(struct rt_g *g, struct rt_defer *d) {
    struct rt_defer **link = &g->defers;
    while (*link != d) {
        link = &(*link)->next;
    }
    *link = d->next;
}

/* If fn ends the goroutine, this frame stays where it is, and finish() is a deferred
   call. A foreign thread cannot end so. */
static void run(once_word *word, tuco_fn *fn, void *arg) {
    struct rt_defer done;
    struct rt_m *m = arch_self();
    struct rt_g *g = m == NULL ? NULL : rt_m_g(m);
    if (g != NULL) {
        rt_defer_push(g, &done, finish, word);
    }
    fn(arg);
    if (g != NULL) {
        defer_take_back(g, &done);
    }
    finish(word);
}

/* Puts the waiter into the word, unless the function has ended by now. */
static void commit_wait(struct rt_m *m, struct rt_g *g, void *arg) {
    once_word *word = arg;
    uint64_t w = rt_load_acq(word); /* acquire: as in tuco_once_do(), if it is done */
    (void)m;
    do {
        if (w == DONE) {
            rt_ready(g);
            return;
        }
        rt_g_link(g, waiter_list(w));
        /* release: publishes g, its registers and its link. Pairs with finish(). */
    } while (!rt_cas_acqrel(word, &w, RUNNING | g->slot.index));
}

static RT_NOINLINE void do_slow(once_word *word, tuco_fn *fn, void *arg, const void *pc) {
    uint64_t w = NEW;
    if (fn == NULL) {
        rt_fatal("once of nil func value");
    }
    /* acq_rel: decides who calls the function; acquire: as in tuco_once_do(). */
    if (rt_cas_acqrel(word, &w, RUNNING)) {
        run(word, fn, arg);
        return;
    }
    if (w == DONE) {
        return;
    }
    struct rt_m *m = arch_self();
    if (m == NULL) {
        rt_foreign_wait(commit_wait, word);
    } else {
        rt_park(rt_m_enter(m), commit_wait, word, RT_WAIT_once, pc);
        rt_m_leave(arch_self());
    }
}

void tuco_once_do(tuco_once *o, tuco_fn *fn, void *arg) {
    once_word *word = (once_word *)&o->tuco_private;
    /* acquire: what the function did is seen. Pairs with finish(). */
    if (unlikely(rt_load_acq(word) != DONE)) {
        do_slow(word, fn, arg, __builtin_return_address(0));
    }
}
