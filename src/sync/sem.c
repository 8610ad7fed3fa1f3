/* SPDX-License-Identifier: MIT */
/* Weighted semaphores: so many units, given out in the order in which they are asked
   for. */
#include "sync/sem.h"
#include "base/die.h"
#include "chan/chan.h"
#include "sched/enter.h"
#include "sched/park.h"
#include "sync/waiting.h"

#include <errno.h>
#include <tuco/ctx.h>

/*
 * Everything is done under the guard, which costs one compare-and-swap and a store: as
 * much as a word of units that is changed without a guard would, if somebody in the queue
 * has to be respected as well.
 *
 * The queue is strict: nobody gets units while somebody else is in it, so that a large
 * request is not overtaken for ever by small ones. Who gets units has them before he is
 * woken.
 *
 * A context. Its end is the close of a channel. Who waits with a context is in two
 * queues, under two locks, and parks with both held, since whoever finds him in one of
 * them may wake him at once; which of them does is decided by his ticket: see 'Claim' in
 * sched/wait.h. When he goes on he takes himself off the other queue.
 *
 * Invariants, whenever the guard is free:
 *   0 <= held <= size
 *   the first in the queue wants more than size - held, unless its wait is over and it
 *   has not taken itself off yet.
 */
struct semaphore {
    struct rt_spin guard;
    /* The guard. */
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
    rt_enter(); /* who is stopped by a signal must not hold the guard */
    rt_spin_lock(&s->guard);
    bool acquired = try_acquire_locked(s, n);
    rt_spin_unlock(&s->guard);
    rt_leave();
    return acquired;
}

/* Gives units to those in front for as long as there are enough: a list for
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

static void release(struct semaphore *s, int64_t n) {
    /* Before waiters are off the queue, so that a deadlock is not reported with them in a
       foreign thread's hands. */
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

/* One whose wait is over without units leaves the queue. If it was the first, those
   behind it may not have to wait. */
static void leave_queue(struct semaphore *s, struct rt_waiter *w) {
    rt_spin_lock(&s->guard);
    rt_waitq_remove(&s->queue, w);
    struct rt_g *served = serve_locked(s);
    rt_spin_unlock(&s->guard);
    if (served != NULL) {
        rt_ready_list(served); /* the caller counts as inside the runtime */
    }
}

/* With a deadline */

static void unlock_none(void *unused) {
    (void)unused;
}

/* More than there will ever be: only the time can end it, and nobody waits behind. */
static int wait_in_vain(struct rt_g *g, int64_t deadline_ns, const void *pc) {
    rt_wait_several(g, unlock_none, NULL, rt_claim_new(g), deadline_ns, RT_WAIT_semaphore,
                    pc);
    return -ETIMEDOUT;
}

static int wait_until(struct semaphore *s, int64_t n, struct rt_g *g, int64_t deadline_ns,
                      const void *pc) {
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
        leave_queue(s, w);
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
    int result = wait_until(s, n, g, deadline_ns, pc);
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
    rt_spin_lock_thread(l.second); /* under another: see the law in spin.h */
    return l;
}

/* Run after the switch. What raw points to is on the stack of the one who waits, who may
   go on once the first lock is released; he takes the other one before he leaves, or his
   waker had it. */
static void unlock_both(void *raw) {
    struct locks l = *(struct locks *)raw;
    rt_spin_unlock(l.first);
    rt_spin_unlock(l.second);
}

/* True: there is nothing to wait for, or it is over: *result. */
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
    closed.value = NULL; /* a receive that discards */
    if (n <= s->size) {
        rt_waitq_push(&s->queue, w);
    } else {
        w->queue = NULL; /* only the context can end it, and nobody waits behind */
    }
    rt_waitq_push(&done->receivers, &closed);
    rt_wait_several(g, unlock_both, &locks, ticket, OS_NEVER, RT_WAIT_semaphore, pc);
    if (w->result == 0) {
        rt_chan_unwatch(done, &closed);
        return 0;
    }
    leave_queue(s, w);
    return -ECANCELED;
}

static int acquire_with_context(tuco_sem *raw, int64_t n, tuco_ctx *ctx, const void *pc) {
    struct semaphore *s = semaphore_of(raw);
    tuco_chan *done = tuco_ctx_done(ctx);
    if (done == NULL) { /* it is never done */
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
    release(semaphore_of(s), n);
}
