/* SPDX-License-Identifier: MIT */
/* Wait groups: a counter and those who wait for it, in one word. */
#include "base/atomic.h"
#include "base/die.h"
#include "sched/enter.h"
#include "sched/park.h"
#include "sched/spawn.h"
#include "sync/waiting.h"

#include <errno.h>
#include <tuco/sync.h>

/*
 * The word: the counter in the upper half, the number of the last waiter's descriptor in
 * the lower, 0 for none; the others follow by their links. Each change is one
 * compare-and-swap of the whole. So the one who takes the counter to zero takes the
 * waiters with the same instruction, leaves a zero word, and touches the group no more:
 * it may be gone as soon as one of the waiters runs.
 *
 * Timed. ('Timed') Who waits with a deadline may have to leave, and nobody can be taken
 * out of the middle of those links. So he waits elsewhere, in one of some static queues,
 * chosen by the address of the group, and the bit TIMED of the word says that there is
 * one. Then the counter is taken to zero under the lock of that queue, and all who wait
 * there for this group are taken off under the same lock. None can be of a later use of
 * the group, or of another group in its place: nobody has come since. Since the lock is
 * not in the group, that may be gone when it is released.
 *
 * Invariants: waiters != 0 implies counter > 0. A waiter's link is its own until it is in
 * the word, and belongs to who took the word to zero afterwards. TIMED implies counter >
 * 0; while the lock of the group's queue is free, TIMED is set if somebody waits there
 * for the group.
 */
typedef rt_atomic(uint64_t) wg_word;

_Static_assert(sizeof(tuco_wg) == sizeof(wg_word), "the public struct is the word");

#define TIMED (UINT64_C(1) << 63)

/* As many as make it rare that two groups share one. */
#define TIMED_QUEUES_LOG2 8

static struct timed_queue {
    struct rt_spin lock;   /* guards the queue; TIMED in the groups' words */
    struct rt_waitq queue; /* a record's value: the word of its group */
} RT_CACHE_ALIGNED timed_queues[1 << TIMED_QUEUES_LOG2];

static struct timed_queue *timed_queue_of(const wg_word *word) {
    uint64_t mixed = (uint64_t)(uintptr_t)word * UINT64_C(0x9e3779b97f4a7c15);
    return &timed_queues[mixed >> (64 - TIMED_QUEUES_LOG2)];
}

static wg_word *word_of(tuco_wg *wg) {
    return (wg_word *)&wg->tuco_private;
}

static int64_t counter_of(uint64_t w) {
    return (int64_t)((w & ~TIMED) >> 32);
}

static uint32_t waiters_of(uint64_t w) {
    return (uint32_t)w;
}

/* Links the waiters by pointer, as rt_ready_list() wants them. */
static struct rt_g *waiter_list(uint32_t index) {
    return index == 0 ? NULL : rt_g_of(rt_gpool_at(index));
}

/* What the counter is to be. */
static int64_t counter_after(uint64_t w, int n) {
    int64_t counter = counter_of(w) + n;
    if (unlikely(counter < 0)) {
        rt_panic("sync: negative WaitGroup counter");
    }
    if (unlikely(counter > INT32_MAX)) {
        rt_panic("sync: WaitGroup counter overflow");
    }
    return counter;
}

/* Takes those off the queue who wait for this word, and puts them before list. */
static struct rt_g *claim_timed_locked(struct timed_queue *q, const wg_word *word,
                                       struct rt_g *list) {
    rt_assert_spin_held(&q->lock);
    struct rt_waiter *w = rt_load_rlx(&q->queue.first); /* relaxed: the lock is held */
    while (w != NULL) {
        struct rt_waiter *next = w->next;
        if (w->value == word) {
            rt_waitq_remove(&q->queue, w);
            if (rt_claim_try(w->g, w->ticket)) {
                w->result = 0;
                rt_g_link(w->g, list);
                list = w->g;
            }
        }
        w = next;
    }
    return list;
}

/* add_and_take() where it would take the counter to zero with somebody in the timed
   queue. */
static RT_NOINLINE struct rt_g *add_and_take_timed(wg_word *word, int n) {
    struct timed_queue *q = timed_queue_of(word);
    struct rt_g *list = NULL;
    rt_spin_lock(&q->lock);
    uint64_t w = rt_load_rlx(word); /* relaxed: the compare-and-swap decides */
    uint64_t after;
    int64_t counter;
    do {
        counter = counter_after(w, n);
        after = counter == 0 ? 0 : (uint64_t)counter << 32 | (w & (TIMED | UINT32_MAX));
    } while (!rt_cas_acqrel(word, &w, after)); /* acq_rel: as in add_and_take() */
    if (counter == 0) {
        list = claim_timed_locked(q, word, waiter_list(waiters_of(w)));
    }
    rt_spin_unlock(&q->lock);
    return list;
}

/* Adds n; returns the waiters if that made the counter zero. */
static struct rt_g *add_and_take(wg_word *word, int n) {
    uint64_t w = rt_load_rlx(word); /* relaxed: the compare-and-swap decides */
    uint64_t after;
    int64_t counter;
    do {
        counter = counter_after(w, n);
        if (unlikely(counter == 0 && (w & TIMED) != 0)) {
            return add_and_take_timed(word, n);
        }
        after = counter == 0 ? 0 : (uint64_t)counter << 32 | (w & (TIMED | UINT32_MAX));
        /* release: what was done before is seen by who waits; acquire: and by who takes
           it to zero for them. Pairs with commit_wait(), want_timed_locked() and with
           itself. */
    } while (!rt_cas_acqrel(word, &w, after));
    return counter == 0 ? waiter_list(waiters_of(w)) : NULL;
}

void tuco_wg_add(tuco_wg *wg, int n) {
    /* Before the waiters are off the word, so that a deadlock is not reported with them
       in a foreign thread's hands. */
    rt_enter();
    struct rt_g *waiters = add_and_take(word_of(wg), n);
    if (waiters != NULL) {
        rt_ready_list(waiters);
    }
    rt_leave();
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

static bool is_zero(wg_word *word) {
    /* acquire: what was done before the counter became zero is seen. Pairs with
       tuco_wg_add(). */
    return counter_of(rt_load_acq(word)) == 0;
}

static void wait_for_zero(wg_word *word, const void *pc) {
    struct rt_m *m = arch_self();
    if (unlikely(m == NULL)) {
        rt_foreign_wait(commit_wait, word);
    } else {
        rt_park(rt_m_enter(m), commit_wait, word, RT_WAIT_waitgroup, pc);
        rt_m_leave(arch_self());
    }
}

void tuco_wg_wait(tuco_wg *wg) {
    wg_word *word = word_of(wg);
    if (!is_zero(word)) {
        wait_for_zero(word, __builtin_return_address(0));
    }
}

/* tuco_wg_wait_until */

/* Sets TIMED; false: the counter is zero. */
static bool want_timed_locked(wg_word *word) {
    uint64_t w = rt_load_acq(word); /* acquire: as below, for a counter that is zero */
    do {
        if (counter_of(w) == 0) {
            return false;
        }
        /* acq_rel: see add_and_take(). */
    } while (!rt_cas_acqrel(word, &w, w | TIMED));
    return true;
}

static bool anybody_timed_locked(const struct timed_queue *q, const wg_word *word) {
    struct rt_waiter *w = rt_load_rlx(&q->queue.first); /* relaxed: the lock is held */
    while (w != NULL && w->value != word) {
        w = w->next;
    }
    return w != NULL;
}

/* The time is over. Whoever finds that he has been taken off was released by a zero
   counter at the same moment, and the group may be gone. */
static int leave_timed(struct timed_queue *q, struct rt_waiter *w, wg_word *word) {
    rt_spin_lock(&q->lock);
    bool waits = w->queue != NULL;
    rt_waitq_remove(&q->queue, w);
    if (waits && !anybody_timed_locked(q, word)) {
        rt_and_acqrel(word, ~TIMED); /* acq_rel: for uniformity */
    }
    rt_spin_unlock(&q->lock);
    return waits ? -ETIMEDOUT : 0;
}

static int wait_timed(wg_word *word, struct rt_g *g, int64_t deadline_ns,
                      const void *pc) {
    struct timed_queue *q = timed_queue_of(word);
    struct rt_waiter *w = rt_wait_record_until(g, word, deadline_ns);
    rt_spin_lock(&q->lock);
    if (!want_timed_locked(word)) {
        rt_spin_unlock(&q->lock);
        return 0;
    }
    rt_waitq_push(&q->queue, w);
    rt_wait_record_park(w, &q->lock, deadline_ns, RT_WAIT_waitgroup, pc);
    return w->result == RT_WAIT_PENDING ? leave_timed(q, w, word) : w->result;
}

int tuco_wg_wait_until(tuco_wg *wg, tuco_time deadline) {
    wg_word *word = word_of(wg);
    const void *pc = __builtin_return_address(0);
    if (is_zero(word)) {
        return 0;
    }
    if (deadline == TUCO_NEVER) {
        wait_for_zero(word, pc);
        return 0;
    }
    if (rt_deadline_passed(deadline)) {
        return -ETIMEDOUT;
    }
    struct rt_g *g = rt_wait_begin();
    int result = wait_timed(word, g, deadline, pc);
    rt_wait_end(g);
    return result;
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
