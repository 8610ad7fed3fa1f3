/* SPDX-License-Identifier: MIT */
/* The mutex: one atomic operation when nobody is in the way, and a queue when somebody
   is. */
#include "sync/mutex.h"
#include "base/die.h"
#include "sched/idle.h"
#include "sched/park.h"
#include "sched/sched.h"
#include "sync/waiting.h"

#include <errno.h>

/*
 * Problem. A lock should cost nothing when it is free, be passed on fast when it is
 * fought for, and forget nobody. The last two are at odds: the fastest is to let whoever
 * runs take it, since to wake somebody takes far longer than a critical section; but then
 * those who wait may wait for ever.
 *
 * Rejected. A strict queue: each unlock under contention costs a switch, or a wake-up of
 * another thread, with the lock held meanwhile by one who does not run yet. A hash table
 * of queues, as Go has it: it keeps the mutex small, and makes strangers share a lock.
 *
 * The way taken. Go's two modes.
 *   Normal: an unlock leaves the lock free and wakes the first in the queue, who has to
 *   compete with whoever runs. If it loses, it goes back to the front.
 *   Starving: one who has lost for longer than STARVING_AFTER_NS sets the mode as it goes
 *   back. Now an unlock passes the lock to the first in the queue without freeing it, and
 *   newcomers queue. The mode ends with an owner who is the last in the queue, or who
 *   waited less than that time.
 *
 * The state is one word, and the lock is free if that is 0:
 *   LOCKED   somebody holds it, and has not begun to leave it
 *   CALLING  whoever leaves it has to see to the queue first
 * CALLING is not set while somebody is awake who will see to the queue himself: one who
 * was woken and has not decided yet. So the state is 0 or LOCKED most of the time, and
 * the two fast paths are a compare-and-swap and a subtraction, although others may be
 * waiting. A subtraction that leaves CALLING has not freed the lock: nobody else takes it
 * or clears CALLING, and whoever subtracted goes on as its holder.
 *
 *   lock     0 -> LOCKED
 *   queue    LOCKED -> LOCKED + CALLING   guard; nobody is awake. The queue is not empty
 *                                         when the guard is released.
 *   unlock   LOCKED -> 0
 *            LOCKED + CALLING -> CALLING, and back; guard; takes the first off the queue,
 *            and
 *              normal    says that he is awake; releases the guard; state := 0, and wakes
 *                        him
 *              starving  clears CALLING if the queue is empty now; releases the guard,
 *                        and wakes him: the lock is his
 *   awake    takes it, and then, with the guard, is awake no more: sets CALLING if the
 *            queue is not empty; or, with the guard, goes back to the queue, as above
 *
 * Spinning. ('Spinning') Who finds it locked tries again for some microseconds, if the
 * holder may be running: one newcomer at a time, and the one who is awake. They do not
 * look whether the lock is free, which would take the cache line from the holder as well:
 * they guess so, by a compare-and-swap, and wait ever longer between two tries, so that
 * the holder takes and leaves the lock many times in between at the price of a lock that
 * nobody else wants.
 *
 * Invariants, whenever the guard is free:
 *   CALLING implies that nobody is awake.
 *   The queue is not empty implies CALLING, or that somebody is awake.
 *   starving implies CALLING.
 * CALLING changes under the guard only, and only the holder clears it. So it may outlast
 * the queue: the last to wait may have run out of time.
 *
 * Lifetime. The mutex may be gone as soon as another could have it. So an unlock that has
 * somebody to wake takes him off the queue while it still holds the lock, and the
 * instruction that frees the lock is its last on it.
 */
#define LOCKED  1u
#define CALLING 2u

/* Go's limit. */
#define STARVING_AFTER_NS 1000000

/* Results of a wait. */
#define RESULT_HANDED 0 /* the lock is the waiter's */
#define RESULT_AWAKE  2 /* it may compete, and is the one who is awake */

/* A spinner's pauses, in turns of some ten nanoseconds: the first, the longest, to which
   they double, and how many there are. All together they last as long as it takes to park
   and to be woken on another thread. */
#define PAUSE_TURNS_FIRST 16
#define PAUSE_TURNS_MAX   64
#define PAUSES            5

struct mutex {
    rt_atomic(uint32_t) state; /* Atomic: see above */
    struct rt_spin guard;
    /* The guard. */
    struct rt_waitq queue; /* a record's value: when it first began to wait */
    bool awake;    /* one who was in the queue has been woken and has not decided */
    bool starving; /* an unlock hands over */
    /* Atomic: a newcomer spins. A hint. */
    rt_atomic(uint32_t) spinner;
};

_Static_assert(sizeof(tuco_mutex) == sizeof(struct mutex), "the public struct has room");
_Static_assert(_Alignof(tuco_mutex) == _Alignof(struct mutex), "and is aligned");

static struct mutex *mutex_of(tuco_mutex *m) {
    return (struct mutex *)m;
}

/* Taking it */

/* Guesses that it is free. For who waits if it is not. */
static inline bool take(struct mutex *m) {
    uint32_t s = 0;
    /* acquire: sees what was done under the lock. Pairs with leave() and
       unlock_calling(). */
    return rt_cas_acqrel(&m->state, &s, LOCKED);
}

/* For who may come back at once: it leaves the cache line where it is if it fails. */
static inline bool try_lock(struct mutex *m) {
    /* relaxed: the compare-and-swap decides */
    return rt_load_rlx(&m->state) == 0 && take(m);
}

/* Whether the lock could become free within microseconds because its holder runs. */
static bool may_spin(void) {
    struct rt_m *m = arch_self();
    if (m == NULL) {
        return true; /* to sleep costs a thread two system calls */
    }
    const struct rt_p *p = m->p;
    if (p == NULL) {
        return false; /* given up for a call that blocks: others may need the CPU */
    }
    /* relaxed, both: it is a guess. */
    uint64_t w = rt_load_rlx(&rt_idle.word);
    return rt_load_rlx(&p->attention) == 0 && rt_idle_ps(w) + 1 < rt_idle_total(w);
}

static bool spin(struct mutex *m) {
    int turns = PAUSE_TURNS_FIRST;
    for (int pauses = 0; pauses < PAUSES; pauses++) {
        rt_cpu_relax_for(turns);
        if (take(m)) {
            return true;
        }
        turns = turns < PAUSE_TURNS_MAX ? 2 * turns : turns;
    }
    return false;
}

static bool spin_as_newcomer(struct mutex *m) {
    /* relaxed: a look that leaves the line shared. acq_rel: for uniformity. */
    if (!may_spin() || rt_load_rlx(&m->spinner) != 0 ||
        rt_swap_acqrel(&m->spinner, 1) != 0) {
        return false;
    }
    bool taken = spin(m);
    rt_store_rlx(&m->spinner, 0); /* relaxed: it publishes nothing */
    return taken;
}

/* Waiting for it */

/* True: the lock is taken. False: it is held, and whoever frees it, or somebody who is
   awake, will see to the queue. */
static bool take_or_call_locked(struct mutex *m) {
    rt_assert_spin_held(&m->guard);
    uint32_t s = rt_load_rlx(&m->state); /* relaxed: the compare-and-swap decides */
    for (;;) {
        if (s == 0) {
            if (take(m)) {
                return true;
            }
            s = rt_load_rlx(&m->state); /* relaxed: likewise */
        } else if ((s & CALLING) != 0 || m->awake) {
            return false;
        } else if (rt_cas_acqrel(&m->state, &s, s | CALLING)) {
            /* acq_rel: who frees the lock sees CALLING, and then the queue by the
               guard. */
            return false;
        }
    }
}

/* The one who was awake has taken the lock: he will see to the queue when he frees it. */
static void awake_no_more_locked(struct mutex *m) {
    rt_assert_spin_held(&m->guard);
    m->awake = false;
    if (!rt_waitq_seems_empty(&m->queue)) {
        rt_or_acqrel(&m->state, CALLING); /* acq_rel: for uniformity; it is his lock */
    }
}

/* One who was awake tries. */
static bool compete(struct mutex *m) {
    if (!take(m) && (!may_spin() || !spin(m))) {
        return false;
    }
    rt_spin_lock(&m->guard);
    awake_no_more_locked(m);
    rt_spin_unlock(&m->guard);
    return true;
}

/* The deadline came first. */
static void leave_queue(struct mutex *m, struct rt_waiter *w) {
    rt_spin_lock(&m->guard);
    rt_waitq_remove(&m->queue, w);
    if (rt_waitq_seems_empty(&m->queue)) {
        m->starving = false;
    }
    rt_spin_unlock(&m->guard);
}

/* Takes the lock, or puts w into the queue. was_awake: the caller is the one who is
   awake, and has waited that long altogether. */
static bool take_or_queue_locked(struct mutex *m, struct rt_waiter *w, bool was_awake,
                                 int64_t waited_ns) {
    if (was_awake) {
        m->awake = false; /* before he calls: see take_or_call_locked() */
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

/* Waits in the queue, again and again, until the lock is taken or the time is over. */
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
            leave_queue(m, w);
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

/* Leaving it */

/* Guesses that nobody calls. False: somebody does, and the caller has to stay(). */
static inline bool leave(struct mutex *m) {
    /* release: publishes what was done under the lock. Pairs with take(). The last access
       to the mutex, if nobody calls. */
    return rt_sub_acqrel(&m->state, LOCKED) == LOCKED;
}

/* Undoes a leave() that freed nothing. */
static void stay(struct mutex *m) {
    /* acq_rel: for uniformity; it is still the caller's lock, unless it never was. */
    if (rt_or_acqrel(&m->state, LOCKED) != CALLING) {
        rt_fatal("sync: unlock of unlocked mutex");
    }
}

static bool waited_long(const struct rt_waiter *w) {
    return os_now() - *(const int64_t *)w->value > STARVING_AFTER_NS;
}

/* Takes the next one off the queue, and says what he will be; NULL: they have all timed
   out. */
static struct rt_waiter *next_locked(struct mutex *m) {
    rt_assert_spin_held(&m->guard);
    struct rt_waiter *w = rt_waitq_claim(&m->queue);
    bool empty = rt_waitq_seems_empty(&m->queue);
    bool hands_over = m->starving && w != NULL;
    if (w != NULL) {
        w->result = hands_over ? RESULT_HANDED : RESULT_AWAKE;
    }
    if (empty || !hands_over) {
        rt_and_acqrel(&m->state, ~CALLING); /* acq_rel: for uniformity */
    }
    m->awake = w != NULL && !hands_over;
    m->starving = hands_over && !empty && waited_long(w);
    return w;
}

/* Somebody calls. Returns who is to be woken; NULL: look again. */
static struct rt_waiter *unlock_calling(struct mutex *m) {
    rt_spin_lock(&m->guard);
    struct rt_waiter *w = next_locked(m);
    rt_spin_unlock(&m->guard);
    if (w != NULL && w->result == RESULT_AWAKE) {
        /* release: publishes what was done under the lock. Pairs with take(). The last
           access to the mutex. */
        rt_and_acqrel(&m->state, ~LOCKED);
    }
    return w;
}

/* Frees the lock or hands it over, and wakes who comes next. True: it was handed to a
   goroutine. */
static RT_NOINLINE bool unlock_slow(struct mutex *m) {
    struct rt_waiter *w;
    bool handed = false;
    /* Before a waiter is off the queue, so that a deadlock is not reported with him in a
       foreign thread's hands. */
    rt_enter();
    do {
        stay(m);
        w = unlock_calling(m);
    } while (w == NULL && !leave(m));
    if (w != NULL) {
        handed = w->result == RESULT_HANDED && (w->g->flags & RT_G_FLAG_FOREIGN) == 0;
        rt_ready(w->g);
    }
    rt_leave();
    return handed;
}

/* For others in sync/ */

int rt_mutex_lock_until(tuco_mutex *raw, int64_t deadline_ns, enum rt_wait_reason reason,
                        const void *pc) {
    struct mutex *m = mutex_of(raw);
    return likely(take(m)) ? 0 : lock_slow(m, deadline_ns, reason, pc);
}

void rt_mutex_unlock(tuco_mutex *raw) {
    struct mutex *m = mutex_of(raw);
    if (unlikely(!leave(m))) {
        unlock_slow(m);
    }
}

/* Public */

void tuco_mutex_lock(tuco_mutex *raw) {
    struct mutex *m = mutex_of(raw);
    if (unlikely(!take(m))) {
        (void)lock_slow(m, OS_NEVER, RT_WAIT_mutex, __builtin_return_address(0));
    }
}

bool tuco_mutex_try_lock(tuco_mutex *m) {
    return try_lock(mutex_of(m));
}

int tuco_mutex_lock_until(tuco_mutex *m, tuco_time deadline) {
    return rt_mutex_lock_until(m, deadline, RT_WAIT_mutex, __builtin_return_address(0));
}

void tuco_mutex_unlock(tuco_mutex *raw) {
    struct mutex *m = mutex_of(raw);
    if (unlikely(!leave(m)) && unlock_slow(m)) {
        /* The new owner is next here: without this it would have to wait, and the lock
           with it, until the caller stops or another P steals it. */
        tuco_yield();
    }
    tuco_checkpoint(); /* one who only ever takes free locks does not enter otherwise */
}
