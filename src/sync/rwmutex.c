/* SPDX-License-Identifier: MIT */
/* Readers-writer lock: many readers or one writer; neither side starves. */
#include "base/die.h"
#include "base/race.h"
#include "sched/park.h"
#include "sync/mutex.h"
#include "sync/waiting.h"

#include <errno.h>

/*
 * Writers contend for a mutex. The writer that holds the mutex then deals with the readers:
 *
 *   - A writer that finds readers sets WANTED and waits until they have unlocked. New
 *     readers queue meanwhile. So overlapping readers do not starve a writer.
 *   - A writer that unlocks admits all queued readers, even if the next writer already
 *     waits. So writers do not starve readers.
 *
 * The state is one word:
 *   HELD    a writer holds the lock
 *   WANTED  a writer waits until HELD is clear and no reader holds the lock
 *   QUEUED  the queue of readers is not empty
 *   READER  times the number of readers that hold the lock
 *
 * Lifetime. The lock may be freed as soon as another goroutine can lock and unlock it. So
 * the instruction that frees it is the last access of an unlock, and a writer unlocks the
 * mutex before the state. The next writer may then hold the mutex while the previous one
 * still holds the state; it waits for it as it waits for a reader. An unlock that hands the
 * lock to a waiter updates the state before it wakes the waiter.
 *
 * Invariants.
 *   HELD implies that no reader holds the lock.
 *   HELD or WANTED implies that new readers queue.
 *   QUEUED implies HELD or WANTED.
 *   WANTED and QUEUED change only under the guard, QUEUED together with the queue. So does
 *   HELD, unless both are clear.
 *   With WANTED set, the last reader unlocks under the guard.
 *
 * Not guaranteed: that a reader can lock for reading a second time. If a writer arrives in
 * between, it waits for the first read lock, and the second one waits for the writer.
 */
#define HELD   UINT64_C(1)
#define WANTED UINT64_C(2)
#define QUEUED UINT64_C(4)
#define READER UINT64_C(8)

/* How often a writer reads the state before it waits: the previous writer frees the state
   some nanoseconds after the mutex. */
#define LOOKS 16

struct rwmutex {
    /* Held by the writer that holds or wants the state; locked before the guard. */
    tuco_mutex writers;
    /* Atomic: see above. */
    rt_atomic(uint64_t) state;
    /* Under the guard. */
    struct rt_waitq readers;
    struct rt_waiter *writer; /* the parked writer that set WANTED; NULL: none */
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
        /* acquire: sees what the last writer did. Pairs with rwmutex_leave(),
           pass_on_locked() and withdraw(). */
        if (likely(rt_cas_acqrel(&rw->state, &s, s + READER))) {
            return true;
        }
    }
    return false;
}

/* Takes a read lock or enqueues w; returns whether it took the lock. */
static bool rlock_or_queue_locked(struct rwmutex *rw, struct rt_waiter *w) {
    rt_assert_spin_held(&rw->guard);
    uint64_t s;
    do {
        if (try_rlock(rw)) {
            return true;
        }
        s = rt_load_rlx(&rw->state); /* relaxed: the compare-and-swap decides */
        /* relaxed: rwmutex_leave() swaps the same word, so it sees QUEUED; the guard
           publishes the queue. */
    } while ((s & (HELD | WANTED)) == 0 || !rt_cas_rlx(&rw->state, &s, s | QUEUED));
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
        rt_and_rlx(&rw->state, ~QUEUED); /* relaxed: the guard publishes the queue */
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

/* Claims the parked writer; NULL: there is none, or its deadline has claimed it. */
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

/* Unlocks the last reader while a writer waits. Returns false if the caller is not the last
   reader any more, or no writer waits. */
static bool runlock_last(struct rwmutex *rw) {
    struct rt_waiter *w = NULL;
    /* Enter before claiming the writer, so that checkdead does not report a deadlock while
       a foreign thread is about to wake it. */
    rt_enter();
    rt_spin_lock(&rw->guard);
    bool last = is_last_reader(rt_load_rlx(&rw->state)); /* relaxed: fixed by the guard */
    if (last) {
        w = claim_writer_locked(rw);
        /* acquire: sees what other readers did. Pairs with runlock(). release: passes it
           on. Pairs with hold_or_want_locked() and try_hold(); rt_ready() publishes it to
           w. Safe because the lock outlives the guard: w has not returned, or, if w is
           NULL, the writer has timed out and still has to take the guard in withdraw(). */
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
            s = rt_load_rlx(&rw->state); /* relaxed: as above */
        } else if (likely(rt_cas_acqrel(&rw->state, &s, s - READER))) {
            /* release: publishes the reader's section to writers. Pairs with try_hold(),
               hold_or_want_locked() and runlock_last(). The last access to the lock. */
            return;
        }
    }
}

/* Writers: they hold the mutex, up to rwmutex_leave() */

static inline bool try_hold(struct rwmutex *rw) {
    uint64_t s = 0;
    /* acquire: sees what readers and the last writer did. Pairs with runlock(),
       runlock_last() and rwmutex_leave(). */
    return rt_cas_acqrel(&rw->state, &s, HELD);
}

static bool try_hold_for_a_while(struct rwmutex *rw) {
    for (int i = 0; i < LOOKS; i++) {
        rt_cpu_relax();
        /* relaxed: keeps the line shared; the compare-and-swap decides */
        if (rt_load_rlx(&rw->state) == 0 && try_hold(rw)) {
            return true;
        }
    }
    return false;
}

/* Takes the lock if it is free, or sets WANTED and registers w. Returns whether it took the
   lock. */
static bool hold_or_want_locked(struct rwmutex *rw, struct rt_waiter *w) {
    rt_assert_spin_held(&rw->guard);
    /* acq_rel: from here on new readers queue, and the last reader unlocks under the guard.
       acquire: as in try_hold(), if the lock is free. */
    uint64_t s = rt_or_acqrel(&rw->state, WANTED);
    if ((s & HELD) == 0 && s < READER) {
        /* relaxed: with WANTED set no reader takes the lock, so nothing was published since
           the line above */
        rt_add_rlx(&rw->state, HELD - WANTED);
        return true;
    }
    rw->writer = w;
    return false;
}

/* The writer's deadline has passed. Clears WANTED, admits the queued readers unless HELD
   is set, and unlocks the mutex. */
static void withdraw(struct rwmutex *rw) {
    struct rt_g *readers = NULL;
    uint32_t count = 0;
    rt_spin_lock(&rw->guard);
    rw->writer = NULL;
    /* relaxed: if the previous writer is still HELD, it has to take the guard to unlock,
       because WANTED is set, and admits the readers then. */
    if ((rt_load_rlx(&rw->state) & HELD) == 0) {
        readers = rt_waitq_claim_all(&rw->readers, &count);
        rt_and_rlx(&rw->state, ~QUEUED); /* relaxed: the guard publishes the queue */
    }
    /* acq_rel: passes on the last writer's section. Pairs with try_rlock(). */
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

/* A writer hands the state to the queued readers, or else to the next writer. *woken is the
   list of goroutines to ready. Returns false if all waiters have timed out. */
static bool pass_on_locked(struct rwmutex *rw, struct rt_g **woken) {
    uint32_t count;
    rt_assert_spin_held(&rw->guard);
    uint64_t s = rt_load_rlx(&rw->state); /* relaxed: with HELD, fixed by the guard */
    *woken = rt_waitq_claim_all(&rw->readers, &count);
    if (count == 0 && (s & WANTED) == 0) {
        /* All have timed out. relaxed: the caller holds the lock until rwmutex_leave(). */
        rt_and_rlx(&rw->state, ~QUEUED);
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
    /* release: publishes the writer's section. Pairs with try_rlock() and
       hold_or_want_locked(); rt_ready_list() publishes it to the woken. Safe because the
       lock outlives the guard: the woken have not returned, or the writer that set WANTED
       has timed out and still has to take the guard in withdraw(). */
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

static void rwmutex_leave(struct rwmutex *rw) {
    uint64_t s = HELD;
    /* release: publishes the writer's section. Pairs with try_rlock() and try_hold(). The
       last access to the lock. */
    while (unlikely(!rt_cas_acqrel(&rw->state, &s, 0))) {
        if (leave_slow(rw)) {
            return;
        }
        s = HELD;
    }
}

/* Annotations for ThreadSanitizer: see race.h. Readers are ordered after the last writer
   and before the next, but not among each other: so they release another address. */

static bool race_read(struct rwmutex *rw, bool locked) {
    if (locked) {
        rt_race_acquire(&rw->state);
    }
    return locked;
}

static bool race_write(struct rwmutex *rw, bool locked) {
    if (locked) {
        rt_race_acquire(&rw->state);
        rt_race_acquire(&rw->readers);
    }
    return locked;
}

/* Public */

void tuco_rwmutex_rlock(tuco_rwmutex *raw) {
    struct rwmutex *rw = rwmutex_of(raw);
    if (unlikely(!try_rlock(rw))) {
        (void)rlock_slow(rw, OS_NEVER, __builtin_return_address(0));
    }
    race_read(rw, true);
}

bool tuco_rwmutex_try_rlock(tuco_rwmutex *raw) {
    struct rwmutex *rw = rwmutex_of(raw);
    return race_read(rw, try_rlock(rw));
}

int tuco_rwmutex_rlock_until(tuco_rwmutex *raw, tuco_time deadline) {
    struct rwmutex *rw = rwmutex_of(raw);
    int result =
        likely(try_rlock(rw)) ? 0 : rlock_slow(rw, deadline, __builtin_return_address(0));
    race_read(rw, result == 0);
    return result;
}

void tuco_rwmutex_runlock(tuco_rwmutex *raw) {
    struct rwmutex *rw = rwmutex_of(raw);
    rt_race_release(&rw->readers);
    runlock(rw);
}

void tuco_rwmutex_lock(tuco_rwmutex *raw) {
    struct rwmutex *rw = rwmutex_of(raw);
    (void)lock_until(rw, OS_NEVER, __builtin_return_address(0));
    race_write(rw, true);
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
    return race_write(rw, true);
}

int tuco_rwmutex_lock_until(tuco_rwmutex *raw, tuco_time deadline) {
    struct rwmutex *rw = rwmutex_of(raw);
    int result = lock_until(rw, deadline, __builtin_return_address(0));
    race_write(rw, result == 0);
    return result;
}

void tuco_rwmutex_unlock(tuco_rwmutex *raw) {
    struct rwmutex *rw = rwmutex_of(raw);
    /* relaxed: only the holder clears HELD, and only the holder may call this */
    if (unlikely((rt_load_rlx(&rw->state) & HELD) == 0)) {
        rt_fatal("sync: Unlock of unlocked RWMutex");
    }
    rt_race_release(&rw->state);
    rt_mutex_unlock(&rw->writers); /* before the state: see 'Lifetime' */
    rwmutex_leave(rw);
}
