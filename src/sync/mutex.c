/* SPDX-License-Identifier: MIT */
/* The mutex: one atomic operation without contention, a queue of waiters with it. */
#include "sync/mutex.h"
#include "base/die.h"
#include "base/race.h"
#include "sched/thread/wakep.h"
#include "sched/park.h"
#include "sched/sched.h"
#include "sync/waiting.h"

#include <errno.h>

/*
 * Problem. A lock should cost nothing without contention, change hands fast under
 * contention, and starve no waiter. The last two conflict: it is fastest to give the lock
 * to a goroutine that already runs, because a wake-up takes far longer than a critical
 * section; but then waiters may wait for ever.
 *
 * Rejected. A strict queue: each contended unlock costs a switch or the wake-up of another
 * thread, and the lock stays held until the new owner runs. A hash table of queues, as in
 * Go: it keeps the mutex small, but unrelated mutexes share a lock.
 *
 * The way taken. Go's two modes.
 *   Normal: unlock frees the lock and wakes the first waiter, which competes with running
 *   goroutines. If it loses, it returns to the front of the queue.
 *   Starving: a woken waiter that has waited longer than STARVING_AFTER_NS sets this mode
 *   when it returns to the queue. Unlock then hands the lock to the first waiter without
 *   freeing it, and newcomers queue. The mode ends when the new owner was the last waiter,
 *   or has waited less than that time.
 *
 * The state is one word; 0 means that the lock is free:
 *   LOCKED   the lock is held, and unlock has not begun
 *   CALLING  unlock has to serve the queue before it frees the lock
 * "The woken waiter" is the one that unlock has woken in normal mode and that has neither
 * taken the lock nor returned to the queue (field awake, Go's mutexWoken). It serves the
 * queue itself, so CALLING is not set as long as there is one. So the state is mostly 0 or
 * LOCKED, and both fast paths, a compare-and-swap and a subtraction, work although others
 * wait. A subtraction that leaves CALLING has not freed the lock: no other thread takes the
 * lock or clears CALLING, and the unlocker remains its holder.
 *
 *   lock     0 -> LOCKED
 *   queue    LOCKED -> LOCKED + CALLING, under the guard, if there is no woken waiter. The
 *            queue is not empty when the guard is released.
 *   unlock   LOCKED -> 0
 *            LOCKED + CALLING -> CALLING -> LOCKED + CALLING; then, under the guard, claims
 *            the first waiter, and
 *              normal    sets awake, clears CALLING, releases the guard, clears LOCKED,
 *                        wakes the waiter
 *              starving  clears CALLING if the queue is now empty, releases the guard,
 *                        wakes the waiter, which now holds the lock
 *   woken    takes the lock; then, under the guard, clears awake and sets CALLING if the
 *            queue is not empty. Or, under the guard, clears awake and queues as above.
 *
 * Spinning. ('Spinning') A goroutine that finds the lock held retries for some
 * microseconds if the holder may be running: one newcomer at a time, and the woken waiter.
 * It retries with a compare-and-swap. A load first would save nothing: it takes the cache
 * line from the holder as well. The pauses between two tries grow, so that the holder can
 * take and release the lock many times in between at its uncontended price.
 *
 * Invariants, whenever the guard is free:
 *   CALLING implies that there is no woken waiter.
 *   A non-empty queue implies CALLING or a woken waiter.
 *   starving implies CALLING.
 * CALLING changes only under the guard, and only the holder clears it. So CALLING may be
 * set while the queue is empty: the last waiter may have timed out.
 *
 * Lifetime. The mutex may be freed as soon as another thread can take the lock. So unlock
 * claims the waiter while it still holds the lock, and the instruction that frees the lock
 * is its last access to the mutex.
 */
#define LOCKED  1u
#define CALLING 2u

/* Go's limit. */
#define STARVING_AFTER_NS 1000000

/* Results of a wait. */
#define RESULT_HANDED 0 /* the waiter holds the lock */
#define RESULT_AWAKE  2 /* it is the woken waiter, and competes for the lock */

/* A spinner's pauses, in turns of about ten nanoseconds: the first pause, the limit up to
   which they double, and their number. Together they last as long as parking and being
   woken on another thread. */
#define PAUSE_TURNS_FIRST 16
#define PAUSE_TURNS_MAX   64
#define PAUSES            5

struct mutex {
    /* Atomic: see above. */
    rt_atomic(uint32_t) state;
    struct rt_spin guard;
    /* Under the guard. */
    struct rt_waitq queue; /* a record's value: the time at which its wait began */
    bool awake;            /* there is a woken waiter */
    bool starving;         /* unlock hands the lock over */
    /* Atomic, any thread; a hint: a newcomer spins. */
    rt_atomic(uint32_t) spinner;
};

_Static_assert(sizeof(tuco_mutex) == sizeof(struct mutex), "the public struct has room");
_Static_assert(_Alignof(tuco_mutex) == _Alignof(struct mutex), "and is aligned");

static struct mutex *mutex_of(tuco_mutex *m) {
    return (struct mutex *)m;
}

/* Locking */

/* Takes the lock if it is free, without a load first. For callers that expect it free. */
static inline bool lock_take(struct mutex *m) {
    uint32_t s = 0;
    /* acquire: sees the previous critical section. Pairs with mutex_leave() and
       unlock_calling(). */
    return rt_cas_acqrel(&m->state, &s, LOCKED);
}

/* For callers that may poll: a failed try leaves the cache line shared. */
static inline bool try_lock(struct mutex *m) {
    /* relaxed: the compare-and-swap decides */
    return rt_load_rlx(&m->state) == 0 && lock_take(m);
}

/* Whether the holder may be running, so that the lock could be free within microseconds. */
static bool may_spin(void) {
    struct rt_m *m = arch_self();
    if (m == NULL) {
        return true; /* a foreign thread would need two system calls to sleep and wake */
    }
    const struct rt_p *p = m->p;
    if (p == NULL) {
        return false; /* the P was handed off for a blocking call: others need the CPU */
    }
    /* relaxed, both: a guess; true if another P is busy */
    uint64_t w = rt_load_rlx(&rt_pidle.word);
    return rt_load_rlx(&p->attention) == 0 && rt_pidle_ps(w) + 1 < rt_pidle_total(w);
}

static bool spin(struct mutex *m) {
    int turns = PAUSE_TURNS_FIRST;
    for (int pauses = 0; pauses < PAUSES; pauses++) {
        rt_cpu_relax_for(turns);
        if (lock_take(m)) {
            return true;
        }
        turns = turns < PAUSE_TURNS_MAX ? 2 * turns : turns;
    }
    return false;
}

static bool spin_as_newcomer(struct mutex *m) {
    /* relaxed, both: a hint. The load keeps the line shared. */
    if (!may_spin() || rt_load_rlx(&m->spinner) != 0 ||
        rt_swap_rlx(&m->spinner, 1) != 0) {
        return false;
    }
    bool taken = spin(m);
    rt_store_rlx(&m->spinner, 0); /* relaxed: it publishes nothing */
    return taken;
}

/* Waiting for the lock */

/* Takes the lock, or makes sure that its holder or the woken waiter serves the queue.
   Returns whether it took the lock. */
static bool take_or_call_locked(struct mutex *m) {
    rt_assert_spin_held(&m->guard);
    uint32_t s = rt_load_rlx(&m->state); /* relaxed: the compare-and-swap decides */
    for (;;) {
        if (s == 0) {
            if (lock_take(m)) {
                return true;
            }
            s = rt_load_rlx(&m->state); /* relaxed: as above */
        } else if ((s & CALLING) != 0 || m->awake) {
            return false;
        } else if (rt_cas_rlx(&m->state, &s, s | CALLING)) {
            /* relaxed: mutex_leave() subtracts from the same word, so it sees CALLING; the
               guard publishes the queue. */
            return false;
        }
    }
}

/* The woken waiter has taken the lock. Makes its unlock serve the queue. */
static void awake_no_more_locked(struct mutex *m) {
    rt_assert_spin_held(&m->guard);
    m->awake = false;
    if (!rt_waitq_seems_empty(&m->queue)) {
        /* relaxed: only the caller's own unlock reads CALLING without the guard */
        rt_or_rlx(&m->state, CALLING);
    }
}

/* The woken waiter tries to take the lock. */
static bool compete(struct mutex *m) {
    if (!lock_take(m) && (!may_spin() || !spin(m))) {
        return false;
    }
    rt_spin_lock(&m->guard);
    awake_no_more_locked(m);
    rt_spin_unlock(&m->guard);
    return true;
}

/* The deadline passed first. */
static void mutex_leave_queue(struct mutex *m, struct rt_waiter *w) {
    rt_spin_lock(&m->guard);
    rt_waitq_remove(&m->queue, w);
    if (rt_waitq_seems_empty(&m->queue)) {
        m->starving = false;
    }
    rt_spin_unlock(&m->guard);
}

/* Takes the lock or enqueues w; returns whether it took the lock. was_awake: the caller is
   the woken waiter, and has waited for waited_ns in total. */
static bool take_or_queue_locked(struct mutex *m, struct rt_waiter *w, bool was_awake,
                                 int64_t waited_ns) {
    if (was_awake) {
        m->awake = false; /* before take_or_call_locked(), which reads it */
    }
    if (take_or_call_locked(m)) {
        if (was_awake) {
            awake_no_more_locked(m);
        }
        return true;
    }
    if (was_awake) {
        m->starving = m->starving || waited_ns > STARVING_AFTER_NS;
        rt_waitq_push_front(&m->queue, w);
    } else {
        rt_waitq_push(&m->queue, w);
    }
    return false;
}

/* Waits in the queue, perhaps repeatedly, until it has the lock or the deadline passes. */
static int wait_for_lock(struct mutex *m, struct rt_g *g, int64_t deadline_ns,
                         enum rt_wait_reason reason, const void *pc) {
    int64_t since_ns = os_now();
    int64_t waited_ns = 0;
    bool was_awake = false;
    for (;;) {
        struct rt_waiter *w = rt_wait_record_until(g, &since_ns, deadline_ns);
        rt_spin_lock(&m->guard);
        if (take_or_queue_locked(m, w, was_awake, waited_ns)) {
            rt_spin_unlock(&m->guard);
            return 0;
        }
        rt_wait_record_park(w, &m->guard, deadline_ns, reason, pc);
        if (w->result == RESULT_HANDED) {
            return 0;
        }
        if (w->result == RT_WAIT_PENDING) {
            mutex_leave_queue(m, w);
            return -ETIMEDOUT;
        }
        if (compete(m)) {
            return 0;
        }
        was_awake = true;
        waited_ns = os_now() - since_ns;
    }
}

static RT_NOINLINE int lock_slow(struct mutex *m, int64_t deadline_ns,
                                 enum rt_wait_reason reason, const void *pc) {
    if (rt_deadline_passed(deadline_ns)) {
        return -ETIMEDOUT;
    }
    if (spin_as_newcomer(m)) {
        return 0;
    }
    struct rt_g *g = rt_wait_begin();
    int result = wait_for_lock(m, g, deadline_ns, reason, pc);
    rt_wait_end(g);
    return result;
}

/* Unlocking */

/* Frees the lock if CALLING is clear. Returns false if CALLING is set; then the caller has
   to call stay(). */
static inline bool mutex_leave(struct mutex *m) {
    /* release: publishes the critical section. Pairs with lock_take(). If CALLING is
       clear, this is the last access to the mutex. */
    return rt_sub_acqrel(&m->state, LOCKED) == LOCKED;
}

/* Undoes a mutex_leave() that freed nothing. */
static void stay(struct mutex *m) {
    /* relaxed: the caller still holds the lock, so nothing is published yet, or it never
       held it. */
    if (rt_or_rlx(&m->state, LOCKED) != CALLING) {
        rt_fatal("sync: unlock of unlocked mutex");
    }
}

static bool waited_long(const struct rt_waiter *w) {
    return os_now() - *(const int64_t *)w->value > STARVING_AFTER_NS;
}

/* Claims the first waiter and stores its result; NULL: all waiters have timed out. */
static struct rt_waiter *next_locked(struct mutex *m) {
    rt_assert_spin_held(&m->guard);
    struct rt_waiter *w = rt_waitq_claim(&m->queue);
    bool empty = rt_waitq_seems_empty(&m->queue);
    bool hands_over = m->starving && w != NULL;
    if (w != NULL) {
        w->result = hands_over ? RESULT_HANDED : RESULT_AWAKE;
    }
    if (empty || !hands_over) {
        /* relaxed: the lock remains held; the guard publishes queue and flags */
        rt_and_rlx(&m->state, ~CALLING);
    }
    m->awake = w != NULL && !hands_over;
    m->starving = hands_over && !empty && waited_long(w);
    return w;
}

/* CALLING is set. Returns the waiter to wake; NULL: there is none, and the caller still
   holds the lock. */
static struct rt_waiter *unlock_calling(struct mutex *m) {
    rt_spin_lock(&m->guard);
    struct rt_waiter *w = next_locked(m);
    rt_spin_unlock(&m->guard);
    if (w != NULL && w->result == RESULT_AWAKE) {
        /* release: publishes the critical section. Pairs with lock_take(). The last
           access to the mutex. */
        rt_and_acqrel(&m->state, ~LOCKED);
    }
    return w;
}

/* Frees the lock or hands it over, and wakes the first waiter. Returns whether it handed
   the lock to a goroutine. */
static RT_NOINLINE bool unlock_slow(struct mutex *m) {
    struct rt_waiter *w;
    bool handed = false;
    /* Enter before claiming a waiter, so that checkdead does not report a deadlock while a
       foreign thread is about to wake it. */
    rt_enter();
    do {
        stay(m);
        w = unlock_calling(m);
    } while (w == NULL && !mutex_leave(m));
    if (w != NULL) {
        handed = w->result == RESULT_HANDED && (w->g->flags & RT_G_FLAG_FOREIGN) == 0;
        rt_ready(w->g);
    }
    rt_leave();
    return handed;
}

/* For the rest of sync/ */

int rt_mutex_lock_until(tuco_mutex *raw, int64_t deadline_ns, enum rt_wait_reason reason,
                        const void *pc) {
    struct mutex *m = mutex_of(raw);
    int result = likely(lock_take(m)) ? 0 : lock_slow(m, deadline_ns, reason, pc);
    if (result == 0) {
        rt_race_acquire(m);
    }
    return result;
}

void rt_mutex_unlock(tuco_mutex *raw) {
    struct mutex *m = mutex_of(raw);
    rt_race_release(m);
    if (unlikely(!mutex_leave(m))) {
        unlock_slow(m);
    }
}

/* Public */

void tuco_mutex_lock(tuco_mutex *raw) {
    struct mutex *m = mutex_of(raw);
    if (unlikely(!lock_take(m))) {
        (void)lock_slow(m, OS_NEVER, RT_WAIT_mutex, __builtin_return_address(0));
    }
    rt_race_acquire(m);
}

bool tuco_mutex_try_lock(tuco_mutex *m) {
    bool taken = try_lock(mutex_of(m));
    if (taken) {
        rt_race_acquire(m);
    }
    return taken;
}

int tuco_mutex_lock_until(tuco_mutex *m, tuco_time deadline) {
    return rt_mutex_lock_until(m, deadline, RT_WAIT_mutex, __builtin_return_address(0));
}

void tuco_mutex_unlock(tuco_mutex *raw) {
    struct mutex *m = mutex_of(raw);
    rt_race_release(m);
    if (unlikely(!mutex_leave(m)) && unlock_slow(m)) {
        /* The new owner is in runnext. Without the yield, it and the lock would wait until
           the caller parks or another P steals it. */
        tuco_yield();
    }
    tuco_checkpoint(); /* lets a loop of uncontended locking be preempted */
}
