/* SPDX-License-Identifier: MIT */
/* Weighted semaphores: a number of units, granted in the order of the requests. */
#include "sync/sem.h"
#include "base/die.h"
#include "base/race.h"
#include "chan/chan.h"
#include "sched/syscall/enter.h"
#include "sched/park.h"
#include "sync/waiting.h"

#include <errno.h>
#include <tuco/ctx.h>

/*
 * Everything happens under the guard, which costs one compare-and-swap and a store. An
 * atomic word of units would cost as much, because it has to respect the queue as well.
 *
 * The queue is strict: no request is granted while an earlier one waits, so that small
 * requests do not overtake a large one for ever. The releaser grants the units to a waiter
 * before it wakes it.
 *
 * A context. Its end is the close of a channel. A waiter with a context is in two queues,
 * under two locks, and parks with both held, because a waker that finds it in either queue
 * may ready it at once. The ticket decides which waker wins: see 'Claim' in sched/claim.h.
 * The waiter then removes itself from the other queue.
 *
 * Invariants, whenever the guard is free:
 *   0 <= held <= size
 *   the first in the queue wants more than size - held units, unless its wait has ended and
 *   it has not removed itself yet.
 */
struct semaphore {
    struct rt_spin guard;
    /* Under the guard. */
    struct rt_waitq queue; /* a record's value: the units it wants, as int64_t */
    int64_t held;
    /* Immutable after tuco_sem_init(). */
    int64_t size;
};

_Static_assert(sizeof(tuco_sem) == sizeof(struct semaphore),
               "the public struct has room");
_Static_assert(_Alignof(tuco_sem) == _Alignof(struct semaphore), "and is aligned");

static struct semaphore *semaphore_of(tuco_sem *s) {
    return (struct semaphore *)s;
}

static int64_t units_of(const struct rt_waiter *w) {
    return *(const int64_t *)w->value;
}

static bool try_acquire_locked(struct semaphore *s, int64_t n) {
    rt_assert_spin_held(&s->guard);
    if (s->size - s->held < n || !rt_waitq_seems_empty(&s->queue)) {
        return false;
    }
    s->held += n;
    return true;
}

static bool try_acquire(struct semaphore *s, int64_t n) {
    rt_enter(); /* inside, no signal preempts the goroutine while it holds the guard */
    rt_spin_lock(&s->guard);
    bool acquired = try_acquire_locked(s, n);
    rt_spin_unlock(&s->guard);
    rt_leave();
    return acquired;
}

/* Grants units to the first waiters while there are enough. Returns a list for
   rt_ready_list(). */
static struct rt_g *serve_locked(struct semaphore *s) {
    struct rt_g *list = NULL;
    struct rt_waiter *w;
    rt_assert_spin_held(&s->guard);
    /* relaxed: the guard is held */
    while ((w = rt_load_rlx(&s->queue.first)) != NULL &&
           units_of(w) <= s->size - s->held) {
        rt_waitq_remove(&s->queue, w);
        if (w->ticket == RT_TICKET_ALONE || rt_claim_try(w->g, w->ticket)) {
            s->held += units_of(w);
            w->result = 0;
            rt_g_link(w->g, list);
            list = w->g;
        }
    }
    return list;
}

static void give_units(struct semaphore *s, int64_t n) {
    /* Enter before claiming waiters, so that checkdead does not report a deadlock while a
       foreign thread is about to wake them. */
    rt_enter();
    rt_spin_lock(&s->guard);
    bool held = n <= s->held;
    struct rt_g *served = NULL;
    if (likely(held)) {
        s->held -= n;
        served = serve_locked(s);
    }
    rt_spin_unlock(&s->guard);
    if (unlikely(!held)) {
        rt_panic("semaphore: released more than held");
    }
    if (served != NULL) {
        rt_ready_list(served);
    }
    rt_leave();
}

/* Removes a waiter that got no units. If it was the first, the units may suffice for those
   behind it. */
static void sem_leave_queue(struct semaphore *s, struct rt_waiter *w) {
    rt_spin_lock(&s->guard);
    rt_waitq_remove(&s->queue, w);
    struct rt_g *served = serve_locked(s);
    rt_spin_unlock(&s->guard);
    if (served != NULL) {
        rt_ready_list(served); /* allowed: the caller is inside the runtime */
    }
}

/* With a deadline */

/* A request for more than size. Only the deadline ends the wait. It is not enqueued, so
   that no other request waits behind it. */
static int wait_in_vain(struct rt_g *g, int64_t deadline_ns, const void *pc) {
    rt_wait_on(g, &(struct rt_wait_terms){.ticket = rt_claim_new(g),
                                          .deadline_ns = deadline_ns,
                                          .reason = RT_WAIT_semaphore,
                                          .pc = pc});
    return -ETIMEDOUT;
}

static int sem_wait_until(struct semaphore *s, int64_t n, struct rt_g *g,
                          int64_t deadline_ns, const void *pc) {
    if (n > s->size) {
        return wait_in_vain(g, deadline_ns, pc);
    }
    struct rt_waiter *w = rt_wait_record_until(g, &n, deadline_ns);
    rt_spin_lock(&s->guard);
    if (try_acquire_locked(s, n)) {
        rt_spin_unlock(&s->guard);
        return 0;
    }
    rt_waitq_push(&s->queue, w);
    rt_wait_record_park(w, &s->guard, deadline_ns, RT_WAIT_semaphore, pc);
    if (w->result == RT_WAIT_PENDING) {
        sem_leave_queue(s, w);
        return -ETIMEDOUT;
    }
    return w->result;
}

int rt_sem_acquire_until(tuco_sem *raw, int64_t n, int64_t deadline_ns, const void *pc) {
    struct semaphore *s = semaphore_of(raw);
    if (unlikely(n < 0)) {
        return -EINVAL;
    }
    if (likely(try_acquire(s, n))) {
        return 0;
    }
    if (rt_deadline_passed(deadline_ns)) {
        return -ETIMEDOUT;
    }
    struct rt_g *g = rt_wait_begin();
    int result = sem_wait_until(s, n, g, deadline_ns, pc);
    rt_wait_end(g);
    return result;
}

/* With a context */

struct locks {
    struct rt_spin *first; /* the lower address */
    struct rt_spin *second;
};

static struct locks lock_both(struct rt_spin *a, struct rt_spin *b) {
    struct locks l = a < b ? (struct locks){a, b} : (struct locks){b, a};
    rt_spin_lock(l.first);
    rt_spin_lock_thread(l.second); /* must not yield under the first: see spin.h */
    return l;
}

/* Runs after the switch. Copies *raw, which lies on the waiter's stack: the waiter may
   resume once the first lock is released. The second lock stays valid, because the waiter
   or its waker takes it before the waiter returns. */
static void unlock_both(void *raw) {
    struct locks l = *(struct locks *)raw;
    rt_spin_unlock(l.first);
    rt_spin_unlock(l.second);
}

/* Whether the outcome, *result, is known without waiting. */
static bool decided_locked(struct semaphore *s, int64_t n, tuco_chan *done, int *result) {
    if (rt_load_rlx(&done->closed) != 0) { /* relaxed: the lock is held */
        *result = -ECANCELED;
        return true;
    }
    *result = 0;
    return try_acquire_locked(s, n);
}

/* Waits for units or for the close of done: 0 or -ECANCELED. */
static int wait_or_done(struct semaphore *s, int64_t n, tuco_chan *done, struct rt_g *g,
                        const void *pc) {
    struct rt_waiter closed;
    int result;
    struct locks locks = lock_both(&s->guard, &done->lock);
    if (decided_locked(s, n, done, &result)) {
        unlock_both(&locks);
        return result;
    }
    uint32_t ticket = rt_claim_new(g);
    struct rt_waiter *w = rt_wait_record(g, &n, ticket);
    closed = *w;
    closed.value = NULL; /* a receive that discards the value */
    if (n <= s->size) {
        rt_waitq_push(&s->queue, w);
    } else {
        w->queue = NULL; /* as in wait_in_vain(): not enqueued */
    }
    rt_waitq_push(&done->receivers, &closed);
    rt_race_release(&s->guard); /* here, because another context unlocks them */
    rt_race_release(&done->lock);
    rt_wait_on(g, &(struct rt_wait_terms){.unlock = unlock_both,
                                          .arg = &locks,
                                          .ticket = ticket,
                                          .deadline_ns = OS_NEVER,
                                          .reason = RT_WAIT_semaphore,
                                          .pc = pc});
    if (w->result == 0) {
        rt_chan_unwatch(done, &closed);
        return 0;
    }
    sem_leave_queue(s, w);
    return -ECANCELED;
}

static int acquire_with_context(tuco_sem *raw, int64_t n, tuco_ctx *ctx, const void *pc) {
    struct semaphore *s = semaphore_of(raw);
    tuco_chan *done = tuco_ctx_done(ctx);
    if (done == NULL) { /* this context never ends */
        return rt_sem_acquire_until(raw, n, OS_NEVER, pc);
    }
    int error = tuco_ctx_err(ctx);
    if (error != 0) {
        return error;
    }
    if (try_acquire(s, n)) {
        return 0;
    }
    struct rt_g *g = rt_wait_begin();
    int result = wait_or_done(s, n, done, g, pc);
    rt_wait_end(g);
    return result == 0 ? 0 : tuco_ctx_err(ctx);
}

/* Public */

void tuco_sem_init(tuco_sem *raw, int64_t n) {
    if (unlikely(n < 0)) {
        rt_panic("semaphore: negative size");
    }
    *semaphore_of(raw) = (struct semaphore){.size = n};
}

int tuco_sem_acquire(tuco_sem *s, int64_t n, tuco_ctx *ctx) {
    const void *pc = __builtin_return_address(0);
    if (unlikely(n < 0)) {
        return -EINVAL;
    }
    return ctx == NULL ? rt_sem_acquire_until(s, n, OS_NEVER, pc)
                       : acquire_with_context(s, n, ctx, pc);
}

int tuco_sem_acquire_until(tuco_sem *s, int64_t n, tuco_time deadline) {
    return rt_sem_acquire_until(s, n, deadline, __builtin_return_address(0));
}

bool tuco_sem_try_acquire(tuco_sem *s, int64_t n) {
    return n >= 0 && try_acquire(semaphore_of(s), n);
}

void tuco_sem_release(tuco_sem *s, int64_t n) {
    if (unlikely(n < 0)) {
        rt_panic("semaphore: released a negative amount");
    }
    give_units(semaphore_of(s), n);
}
