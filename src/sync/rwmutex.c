/* SPDX-License-Identifier: MIT */
/* Readers-writer lock: many readers, or one writer, and no side waits for ever. */
#include "base/die.h"
#include "sched/park.h"
#include "sync/mutex.h"
#include "sync/waiting.h"

#include <errno.h>

/*
 * Writers contend for a mutex among themselves, by its rules. The one who has it deals
 * with the readers:
 *
 *   - A writer that finds readers sets WANTED and waits until they are gone. Readers that
 *     come meanwhile queue. So readers that overlap for ever do not keep it out.
 *   - A writer that leaves lets all readers in that are in the queue, also if the next
 *     writer waits already. So writers do not keep readers out.
 *
 * The state is one word:
 *   HELD    a writer holds the lock
 *   WANTED  a writer waits for HELD, or for the readers, to go
 *   QUEUED  the queue of readers is not empty
 *   and in READER steps above them, how many readers hold the lock
 *
 * Lifetime. The lock may be gone as soon as another could have it, and left it. So the
 * instruction that frees it is the last of an unlock on it, and a writer releases the
 * mutex before the state. Then the next writer can have the mutex while the last one
 * still holds the state: it waits for it as it does for a reader. Where an unlock passes
 * the lock on to somebody, the lock is his before it is told to him.
 *
 * Invariants.
 *   HELD implies that no reader holds the lock.
 *   HELD or WANTED imply that no reader comes in by itself.
 *   QUEUED implies HELD or WANTED.
 *   WANTED and QUEUED change under the guard only, QUEUED with the queue. So does HELD,
 *   unless both are clear.
 *   With WANTED, the last reader leaves under the guard.
 *
 * Not guaranteed: a second read lock by one who has one. If a writer comes between the
 * two, it waits for the first and the second waits for it.
 */
#define HELD   UINT64_C(1)
#define WANTED UINT64_C(2)
#define QUEUED UINT64_C(4)
#define READER UINT64_C(8)

/* How often a writer looks whether those who hold the lock have gone, before it waits:
   the last writer frees the state some nanoseconds after the mutex. */
#define LOOKS 16

struct rwmutex {
    tuco_mutex writers;        /* before the guard */
    rt_atomic(uint64_t) state; /* Atomic: see above */
    struct rt_waitq readers;   /* under the guard */
    struct rt_waiter *writer;  /* under the guard: waits with WANTED; NULL: none parked */
    struct rt_spin guard;
};

_Static_assert(sizeof(tuco_rwmutex) == sizeof(struct rwmutex),
               "the public struct has room");
_Static_assert(_Alignof(tuco_rwmutex) == _Alignof(struct rwmutex), "and is aligned");

static struct rwmutex *rwmutex_of(tuco_rwmutex *rw) {
    return (struct rwmutex *)rw;
}

/* Readers */

static inline bool try_rlock(struct rwmutex *rw) {
    uint64_t s = rt_load_rlx(&rw->state); /* relaxed: the compare-and-swap decides */
    while (likely((s & (HELD | WANTED)) == 0)) {
        /* acquire: sees what the last writer did. Pairs with leave() and
           pass_on_locked(). */
        if (likely(rt_cas_acqrel(&rw->state, &s, s + READER))) {
            return true;
        }
    }
    return false;
}

/* Takes a read lock, or puts w into the queue. */
static bool rlock_or_queue_locked(struct rwmutex *rw, struct rt_waiter *w) {
    rt_assert_spin_held(&rw->guard);
    uint64_t s;
    do {
        if (try_rlock(rw)) {
            return true;
        }
        s = rt_load_rlx(&rw->state); /* relaxed: the compare-and-swap decides */
        /* acq_rel: the writer sees QUEUED when it leaves, and then the queue by the
           guard. */
    } while ((s & (HELD | WANTED)) == 0 || !rt_cas_acqrel(&rw->state, &s, s | QUEUED));
    rt_waitq_push(&rw->readers, w);
    return false;
}

static int queue_reader(struct rwmutex *rw, struct rt_g *g, int64_t deadline_ns,
                        const void *pc) {
    struct rt_waiter *w = rt_wait_record_until(g, NULL, deadline_ns);
    rt_spin_lock(&rw->guard);
    if (rlock_or_queue_locked(rw, w)) {
        rt_spin_unlock(&rw->guard);
        return 0;
    }
    rt_wait_record_park(w, &rw->guard, deadline_ns, RT_WAIT_rwmutex_rlock, pc);
    if (w->result != RT_WAIT_PENDING) {
        return w->result;
    }
    rt_spin_lock(&rw->guard);
    rt_waitq_remove(&rw->readers, w);
    if (rt_waitq_seems_empty(&rw->readers)) {
        rt_and_acqrel(&rw->state, ~QUEUED); /* acq_rel: for uniformity */
    }
    rt_spin_unlock(&rw->guard);
    return -ETIMEDOUT;
}

static RT_NOINLINE int rlock_slow(struct rwmutex *rw, int64_t deadline_ns,
                                  const void *pc) {
    if (rt_deadline_passed(deadline_ns)) {
        return -ETIMEDOUT;
    }
    struct rt_g *g = rt_wait_begin();
    int result = queue_reader(rw, g, deadline_ns, pc);
    rt_wait_end(g);
    return result;
}

/* The writer who is parked, if the clock has not been faster. */
static struct rt_waiter *claim_writer_locked(struct rwmutex *rw) {
    rt_assert_spin_held(&rw->guard);
    struct rt_waiter *w = rw->writer;
    rw->writer = NULL;
    if (w == NULL || (w->ticket != RT_TICKET_ALONE && !rt_claim_try(w->g, w->ticket))) {
        return NULL;
    }
    w->result = 0;
    return w;
}

static bool is_last_reader(uint64_t s) {
    return (s & WANTED) != 0 && s / READER == 1;
}

/* The last reader leaves, and a writer waits. False: it is not so any more. */
static bool runlock_last(struct rwmutex *rw) {
    struct rt_waiter *w = NULL;
    /* Before the writer is taken out, so that a deadlock is not reported with him in a
       foreign thread's hands. */
    rt_enter();
    rt_spin_lock(&rw->guard);
    bool last = is_last_reader(rt_load_rlx(&rw->state)); /* relaxed: fixed by the guard */
    if (last) {
        w = claim_writer_locked(rw);
        /* release: the writer sees what readers did; acquire: what the others did. Pairs
           with itself and with lock_behind(). The writer that is not parked is about to
           take the guard: so it is not the last who touches the lock. */
        rt_add_acqrel(&rw->state, w != NULL ? HELD - WANTED - READER : -READER);
    }
    rt_spin_unlock(&rw->guard);
    if (w != NULL) {
        rt_ready(w->g);
    }
    rt_leave();
    return last;
}

static void runlock(struct rwmutex *rw) {
    uint64_t s = rt_load_rlx(&rw->state); /* relaxed: the compare-and-swap decides */
    for (;;) {
        if (unlikely(s < READER)) {
            rt_fatal("sync: RUnlock of unlocked RWMutex");
        }
        if (unlikely(is_last_reader(s))) {
            if (runlock_last(rw)) {
                return;
            }
            s = rt_load_rlx(&rw->state); /* relaxed: likewise */
        } else if (likely(rt_cas_acqrel(&rw->state, &s, s - READER))) {
            /* release: a writer sees what was done under the lock. Pairs with
               try_hold() and runlock_last(). The last access to the lock. */
            return;
        }
    }
}

/* Writers: all have the mutex, until they leave */

static inline bool try_hold(struct rwmutex *rw) {
    uint64_t s = 0;
    /* acquire: sees what readers and the last writer did. Pairs with runlock() and
       leave(). */
    return rt_cas_acqrel(&rw->state, &s, HELD);
}

static bool try_hold_for_a_while(struct rwmutex *rw) {
    for (int i = 0; i < LOOKS; i++) {
        rt_cpu_relax();
        /* relaxed: a look that leaves the line shared */
        if (rt_load_rlx(&rw->state) == 0 && try_hold(rw)) {
            return true;
        }
    }
    return false;
}

/* Says that a writer waits, or takes the lock if nobody holds it. */
static bool hold_or_want_locked(struct rwmutex *rw, struct rt_waiter *w) {
    rt_assert_spin_held(&rw->guard);
    /* acq_rel: from here on no reader comes in, and the last one that is in leaves under
       the guard. */
    uint64_t s = rt_or_acqrel(&rw->state, WANTED);
    if ((s & HELD) == 0 && s < READER) {
        rt_add_acqrel(&rw->state, HELD - WANTED); /* acquire: as in try_hold() */
        return true;
    }
    rw->writer = w;
    return false;
}

/* The time is over: lets in whom only this writer kept out, and gives the mutex back. */
static void withdraw(struct rwmutex *rw) {
    struct rt_g *readers = NULL;
    uint32_t count = 0;
    rt_spin_lock(&rw->guard);
    rw->writer = NULL;
    /* relaxed: the guard is held, and the last writer, if it is not out yet, lets the
       readers in */
    if ((rt_load_rlx(&rw->state) & HELD) == 0) {
        readers = rt_waitq_claim_all(&rw->readers, &count);
        rt_and_acqrel(&rw->state, ~QUEUED); /* acq_rel: for uniformity */
    }
    /* release: as in pass_on_locked() */
    rt_add_acqrel(&rw->state, count * READER - WANTED);
    rt_spin_unlock(&rw->guard);
    rt_mutex_unlock(&rw->writers);
    if (readers != NULL) {
        rt_ready_list(readers);
    }
}

static RT_NOINLINE int lock_behind(struct rwmutex *rw, int64_t deadline_ns,
                                   const void *pc) {
    if (try_hold_for_a_while(rw)) {
        return 0;
    }
    struct rt_g *g = rt_wait_begin();
    struct rt_waiter *w = rt_wait_record_until(g, NULL, deadline_ns);
    int result = 0;
    rt_spin_lock(&rw->guard);
    if (hold_or_want_locked(rw, w)) {
        rt_spin_unlock(&rw->guard);
    } else {
        rt_wait_record_park(w, &rw->guard, deadline_ns, RT_WAIT_rwmutex_lock, pc);
        if (w->result == RT_WAIT_PENDING) {
            withdraw(rw);
            result = -ETIMEDOUT;
        }
    }
    rt_wait_end(g);
    return result;
}

static int lock_until(struct rwmutex *rw, int64_t deadline_ns, const void *pc) {
    int r = rt_mutex_lock_until(&rw->writers, deadline_ns, RT_WAIT_rwmutex_lock, pc);
    if (unlikely(r != 0)) {
        return r;
    }
    if (likely(try_hold(rw))) {
        return 0;
    }
    if (rt_deadline_passed(deadline_ns)) {
        rt_mutex_unlock(&rw->writers);
        return -ETIMEDOUT;
    }
    return lock_behind(rw, deadline_ns, pc);
}

/* A writer frees the state for those who wait: the readers in the queue, or else the next
   writer. Returns who is to be woken. False: nobody waits any more. */
static bool pass_on_locked(struct rwmutex *rw, struct rt_g **woken) {
    uint32_t count;
    rt_assert_spin_held(&rw->guard);
    uint64_t s = rt_load_rlx(&rw->state); /* relaxed: with HELD, fixed by the guard */
    *woken = rt_waitq_claim_all(&rw->readers, &count);
    if (count == 0 && (s & WANTED) == 0) {
        /* They have all timed out. acq_rel: for uniformity. */
        rt_and_acqrel(&rw->state, ~QUEUED);
        return false;
    }
    uint64_t after = (s & WANTED) + count * READER;
    if (count == 0) {
        struct rt_waiter *w = claim_writer_locked(rw);
        if (w != NULL) {
            rt_g_link(w->g, NULL);
            *woken = w->g;
            after = HELD;
        }
    }
    /* release: publishes what was done under the lock. Pairs with try_rlock() and
       hold_or_want_locked(); those who are woken see it by that. Safe because somebody is
       not out of his call: those who are woken, or the writer of WANTED, who takes the
       guard yet. */
    rt_store_rel(&rw->state, after);
    return true;
}

static RT_NOINLINE bool leave_slow(struct rwmutex *rw) {
    struct rt_g *woken = NULL;
    rt_enter(); /* as in runlock_last() */
    rt_spin_lock(&rw->guard);
    bool done = pass_on_locked(rw, &woken);
    rt_spin_unlock(&rw->guard);
    if (woken != NULL) {
        rt_ready_list(woken);
    }
    rt_leave();
    return done;
}

static void leave(struct rwmutex *rw) {
    uint64_t s = HELD;
    /* release: publishes what was done under the lock. Pairs with try_rlock() and
       try_hold(). The last access to the lock. */
    while (unlikely(!rt_cas_acqrel(&rw->state, &s, 0))) {
        if (leave_slow(rw)) {
            return;
        }
        s = HELD;
    }
}

/* Public */

void tuco_rwmutex_rlock(tuco_rwmutex *raw) {
    struct rwmutex *rw = rwmutex_of(raw);
    if (unlikely(!try_rlock(rw))) {
        (void)rlock_slow(rw, OS_NEVER, __builtin_return_address(0));
    }
}

bool tuco_rwmutex_try_rlock(tuco_rwmutex *rw) {
    return try_rlock(rwmutex_of(rw));
}

int tuco_rwmutex_rlock_until(tuco_rwmutex *raw, tuco_time deadline) {
    struct rwmutex *rw = rwmutex_of(raw);
    return likely(try_rlock(rw)) ? 0
                                 : rlock_slow(rw, deadline, __builtin_return_address(0));
}

void tuco_rwmutex_runlock(tuco_rwmutex *rw) {
    runlock(rwmutex_of(rw));
}

void tuco_rwmutex_lock(tuco_rwmutex *rw) {
    (void)lock_until(rwmutex_of(rw), OS_NEVER, __builtin_return_address(0));
}

bool tuco_rwmutex_try_lock(tuco_rwmutex *raw) {
    struct rwmutex *rw = rwmutex_of(raw);
    if (!tuco_mutex_try_lock(&rw->writers)) {
        return false;
    }
    if (!try_hold(rw)) {
        rt_mutex_unlock(&rw->writers);
        return false;
    }
    return true;
}

int tuco_rwmutex_lock_until(tuco_rwmutex *rw, tuco_time deadline) {
    return lock_until(rwmutex_of(rw), deadline, __builtin_return_address(0));
}

void tuco_rwmutex_unlock(tuco_rwmutex *raw) {
    struct rwmutex *rw = rwmutex_of(raw);
    /* relaxed: only the holder clears it, and a caller who is not broke the rule */
    if (unlikely((rt_load_rlx(&rw->state) & HELD) == 0)) {
        rt_fatal("sync: Unlock of unlocked RWMutex");
    }
    rt_mutex_unlock(&rw->writers); /* before the state: see 'Lifetime' */
    leave(rw);
}
