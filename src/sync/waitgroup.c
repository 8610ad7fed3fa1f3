/* SPDX-License-Identifier: MIT */
/* Wait groups: a counter and its waiters in one word. */
#include "base/atomic.h"
#include "base/die.h"
#include "base/race.h"
#include "sched/syscall/enter.h"
#include "sched/park.h"
#include "sched/spawn.h"
#include "sync/waiting.h"

#include <errno.h>
#include <tuco/sync.h>

/*
 * The upper half of the word is the counter. The lower half is the descriptor index of the
 * last waiter, 0 for none; the other waiters follow by their links (the chain). Each change
 * is one compare-and-swap of the whole word. So the goroutine that takes the counter to
 * zero claims the waiters with the same instruction, leaves a zero word, and does not touch
 * the group again: it may be freed as soon as one of the waiters runs.
 *
 * Timed. ('Timed') A waiter whose deadline passes has to leave, but cannot be removed from
 * the middle of the singly linked chain. So the waiters with a deadline form a doubly
 * linked list of records. The bit TIMED in the word reports that the list is not empty; the
 * lower half is then the index of the list's first waiter, and that waiter's record holds
 * the chain. A waiter enters and leaves in constant time, whatever the number of waiters.
 *
 *     word                       record of the first        others
 *     counter, 0, index     -->                             g -> g: no deadline
 *     counter, TIMED, index -->  value: the chain above;    records: next, prev
 *                                next, prev
 *
 * A lock guards TIMED, the list and the chain behind it; with TIMED set, the counter also
 * goes to zero under that lock. The lock is static, chosen from a table by the address of
 * the group, because the group may be freed before it is released. Its holder may be the
 * commit function of a wait, on any stack.
 *
 * Invariants: waiters != 0 implies counter > 0, and TIMED implies waiters != 0. A waiter
 * owns its link until the waiter is in the word or the chain; then the thread that takes
 * the word to zero owns it. A record is in the list if its prev is not NULL; the prev of
 * the first record is the record itself.
 */
typedef rt_atomic(uint64_t) wg_word;

_Static_assert(sizeof(tuco_wg) == sizeof(wg_word), "the public struct is the word");

#define TIMED (UINT64_C(1) << 63)

#define COUNTER_MASK (UINT64_C(0x7fffffff) << 32)

/* So many that two groups seldom share a lock. */
#define TIMED_LOCKS_LOG2 8

static struct {
    struct rt_spin lock;
} RT_CACHE_ALIGNED timed_locks[1 << TIMED_LOCKS_LOG2];

static struct rt_spin *timed_lock_of(const wg_word *word) {
    uint64_t mixed = (uint64_t)(uintptr_t)word * UINT64_C(0x9e3779b97f4a7c15);
    return &timed_locks[mixed >> (64 - TIMED_LOCKS_LOG2)].lock;
}

static wg_word *word_of(tuco_wg *wg) {
    return (wg_word *)&wg->tuco_private;
}

static int64_t counter_of(uint64_t w) {
    return (int64_t)((w & COUNTER_MASK) >> 32);
}

/* Returns the counter after n is added; panics if it is out of range. */
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

/* Returns the first record of the timed list. TIMED is set in w. */
static struct rt_waiter *first_timed(uint64_t w) {
    return &rt_waiter_list(w)->waiter;
}

/* The caller has just taken the word to zero. Returns all waiters, except those whose
   deadline has claimed them: these see in leave_timed() that they are off the list. */
static struct rt_g *waitgroup_claim_all_locked(uint64_t before) {
    if ((before & TIMED) == 0) {
        return rt_waiter_list(before);
    }
    struct rt_waiter *w = first_timed(before);
    struct rt_g *list = w->value;
    while (w != NULL) {
        struct rt_waiter *next = w->next;
        w->prev = NULL;
        if (rt_claim_try(w->g, w->ticket)) {
            w->result = 0;
            rt_g_link(w->g, list);
            list = w->g;
        }
        w = next;
    }
    return list;
}

/* add_and_take() for a counter that goes to zero while TIMED is set. */
static RT_NOINLINE struct rt_g *add_and_take_timed(wg_word *word, int n) {
    struct rt_spin *lock = timed_lock_of(word);
    rt_spin_lock(lock);
    uint64_t w = rt_load_rlx(word); /* relaxed: the compare-and-swap decides */
    uint64_t after;
    int64_t counter;
    do {
        counter = counter_after(w, n);
        after = counter == 0 ? 0 : (uint64_t)counter << 32 | (w & ~COUNTER_MASK);
    } while (!rt_cas_acqrel(word, &w, after)); /* acq_rel: as in add_and_take() */
    struct rt_g *list = counter == 0 ? waitgroup_claim_all_locked(w) : NULL;
    rt_spin_unlock(lock);
    return list;
}

/* Adds n; returns the waiters if the counter is now zero. */
static struct rt_g *add_and_take(wg_word *word, int n) {
    uint64_t w = rt_load_rlx(word); /* relaxed: the compare-and-swap decides */
    uint64_t after;
    int64_t counter;
    do {
        counter = counter_after(w, n);
        if (unlikely(counter == 0 && (w & TIMED) != 0)) {
            return add_and_take_timed(word, n);
        }
        after = counter == 0 ? 0 : (uint64_t)counter << 32 | (w & ~COUNTER_MASK);
        /* release: publishes the caller's work to the waiters. acquire: the thread that
           takes the counter to zero sees the work of all others, and the waiters. Pairs
           with add_and_take() in other threads, is_zero(), commit_waitgroup() and
           push_timed_locked(). */
    } while (!rt_cas_acqrel(word, &w, after));
    return counter == 0 ? rt_waiter_list(w) : NULL;
}

void tuco_wg_add(tuco_wg *wg, int n) {
    if (n < 0) {
        rt_race_release(wg);
    }
    /* Enter before claiming the waiters, so that checkdead does not report a deadlock while
       a foreign thread is about to wake them. */
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

/* commit_waitgroup() while TIMED is set: puts g into the chain. Returns false if TIMED
   has been cleared meanwhile. */
static RT_NOINLINE bool join_timed(wg_word *word, struct rt_g *g) {
    struct rt_spin *lock = timed_lock_of(word);
    rt_spin_lock_thread(lock);
    uint64_t w = rt_load_rlx(word); /* relaxed: TIMED changes under the lock only */
    bool timed = (w & TIMED) != 0;
    if (timed) {
        struct rt_waiter *first = first_timed(w);
        rt_g_link(g, first->value);
        first->value = g; /* published by the lock */
    }
    rt_spin_unlock(lock);
    return timed;
}

/* Puts the waiter into the word, or readies it if the counter is zero by now. */
static void commit_waitgroup(struct rt_m *m, struct rt_g *g, void *arg) {
    wg_word *word = arg;
    uint64_t w = rt_load_acq(word); /* acquire: as below, for a counter that is zero */
    (void)m;
    do {
        while (unlikely((w & TIMED) != 0)) {
            if (join_timed(word, g)) {
                return;
            }
            w = rt_load_acq(word); /* acquire: as above */
        }
        if (counter_of(w) == 0) {
            rt_ready(g);
            return;
        }
        rt_g_link(g, rt_waiter_list(w));
        /* release: publishes g, its registers and its link. acquire: sees the work before a
           counter of zero, in the next round. Pairs with add_and_take(). */
    } while (!rt_cas_acqrel(word, &w, (w & ~(uint64_t)UINT32_MAX) | g->slot.index));
}

static bool is_zero(const wg_word *word) {
    /* acquire: sees all work before the counter became zero. Pairs with add_and_take(). */
    return counter_of(rt_load_acq(word)) == 0;
}

static void wait_for_zero(wg_word *word, const void *pc) {
    struct rt_m *m = arch_self();
    if (unlikely(m == NULL)) {
        rt_foreign_wait(commit_waitgroup, word);
    } else {
        rt_park(rt_m_enter(m), commit_waitgroup, word, RT_WAIT_waitgroup, pc);
        rt_m_leave(arch_self());
    }
}

void tuco_wg_wait(tuco_wg *wg) {
    wg_word *word = word_of(wg);
    if (!is_zero(word)) {
        wait_for_zero(word, __builtin_return_address(0));
    }
    rt_race_acquire(wg);
}

bool tuco_wg_try_wait(const tuco_wg *wg) {
    bool zero = is_zero((const wg_word *)&wg->tuco_private);
    if (zero) {
        rt_race_acquire(wg);
    }
    return zero;
}

/* tuco_wg_wait_until */

/* Makes w the first of the list. Returns false if the counter is zero. */
static bool push_timed_locked(wg_word *word, struct rt_waiter *w) {
    uint64_t now = rt_load_acq(word); /* acquire: as below, for a counter that is zero */
    do {
        if (counter_of(now) == 0) {
            return false;
        }
        bool timed = (now & TIMED) != 0;
        w->next = timed ? first_timed(now) : NULL;
        w->value = timed ? w->next->value : rt_waiter_list(now);
        /* acq_rel: passes on the chain from commit_waitgroup() and the work from
           add_and_take() to the thread that takes the counter to zero. */
    } while (!rt_cas_acqrel(word, &now, (now & COUNTER_MASK) | TIMED | w->g->slot.index));
    w->prev = w;
    if (w->next != NULL) {
        w->next->prev = w;
    }
    return true;
}

/* Removes the first of the list, w: the next record takes its place in the word, or else
   the chain. */
static void replace_first_locked(wg_word *word, const struct rt_waiter *w) {
    struct rt_g *chain = w->value;
    uint64_t waiters = chain == NULL ? 0 : chain->slot.index;
    if (w->next != NULL) {
        w->next->prev = w->next;
        w->next->value = chain;
        waiters = TIMED | w->next->g->slot.index;
    }
    uint64_t now = rt_load_rlx(word); /* relaxed: the compare-and-swap decides */
    /* acq_rel: passes on the work of those that have counted down, and the chain to the
       next thread that changes the word. Pairs with commit_waitgroup() and
       add_and_take(). */
    while (!rt_cas_acqrel(word, &now, (now & COUNTER_MASK) | waiters)) {
    }
}

static void remove_timed_locked(wg_word *word, struct rt_waiter *w) {
    if (w->prev == w) {
        replace_first_locked(word, w);
    } else {
        w->prev->next = w->next;
        if (w->next != NULL) {
            w->next->prev = w->prev;
        }
    }
}

/* The deadline has passed. If w is not in the list any more, the counter reached zero
   meanwhile: returns 0 and does not touch the group, which may be freed. */
static int leave_timed(struct rt_spin *lock, struct rt_waiter *w, wg_word *word) {
    rt_spin_lock(lock);
    bool waits = w->prev != NULL;
    if (waits) {
        remove_timed_locked(word, w);
    }
    rt_spin_unlock(lock);
    return waits ? -ETIMEDOUT : 0;
}

static int wait_timed(wg_word *word, struct rt_g *g, int64_t deadline_ns,
                      const void *pc) {
    struct rt_spin *lock = timed_lock_of(word);
    struct rt_waiter *w = rt_wait_record_until(g, NULL, deadline_ns);
    rt_spin_lock(lock);
    if (!push_timed_locked(word, w)) {
        rt_spin_unlock(lock);
        return 0;
    }
    rt_wait_record_park(w, lock, deadline_ns, RT_WAIT_waitgroup, pc);
    return w->result == RT_WAIT_PENDING ? leave_timed(lock, w, word) : w->result;
}

static int waitgroup_wait_until(wg_word *word, int64_t deadline, const void *pc) {
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

int tuco_wg_wait_until(tuco_wg *wg, tuco_time deadline) {
    int result = waitgroup_wait_until(word_of(wg), deadline, __builtin_return_address(0));
    if (result == 0) {
        rt_race_acquire(wg);
    }
    return result;
}

/* tuco_wg_go */

struct wg_call {
    tuco_wg *wg;
    tuco_fn *fn;
    void *arg;
};

static void call_done(void *wg) {
    rt_end_begin();
    tuco_wg_done(wg);
}

/* The deferred call lives in this frame, which exists until the goroutine ends. */
static void run_call(void *raw) {
    struct wg_call *call = raw;
    struct rt_defer done;
    struct rt_g *g = rt_m_g(arch_self());
    rt_defer_push(g, &done, call_done, call->wg);
    g->fn = call->fn; /* for reports, and for habits: see park.c */
    call->fn(call->arg);
    rt_defer_run_all(g);
}

int tuco_wg_go(tuco_wg *wg, tuco_fn *fn, void *arg) {
    struct wg_call call = {.wg = wg, .fn = fn, .arg = arg};
    struct rt_spawn_options o = {
        .copy = &call, .copy_bytes = sizeof call, .pc = __builtin_return_address(0)};
    rt_spawn_check(fn != NULL);
    tuco_wg_add(wg, 1);
    int r = rt_spawn(run_call, NULL, &o);
    if (r != 0) {
        tuco_wg_done(wg);
    }
    return r;
}
