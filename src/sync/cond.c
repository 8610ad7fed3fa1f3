/* SPDX-License-Identifier: MIT */
/* Condition variables: a queue that waiters enter while they hold a mutex. */
#include "base/die.h"
#include "sched/park.h"
#include "sync/mutex.h"
#include "sync/waiting.h"

#include <errno.h>

/*
 * Problem. A waiter has to be in the queue before it unlocks the mutex, or it misses the
 * signal of a goroutine that locks the mutex right afterwards. But unlocking may wake a
 * goroutine, which must not be done under a guard. So for a moment the waiter is in the
 * queue and still runs, and must not be readied.
 *
 * Rejected. Tickets, as in Go: a waiter draws a number, and a signal looks for the number
 * whose turn it is. The numbers of waiters that have timed out would swallow signals.
 *
 * The way taken. The record holds whether its goroutine is parked. A signal claims the
 * first record and stores its result in either case, but readies only a parked goroutine.
 * A waiter that is not parked yet reads its result under the guard before it parks.
 *
 *     waiter                              signal
 *     guard: record into the queue,       guard: first record off the queue, claimed;
 *         not parked                          result := 0
 *     unlock the mutex                    ready, if it is parked
 *     guard: no result yet? parked;
 *         park, and release the guard
 *     lock the mutex
 *
 * A deadline can claim a waiter only after it has parked, because the timer is armed then.
 * A signal that loses the claim tries the next record: no signal is lost to a waiter that
 * has timed out.
 */
struct cond {
    struct rt_spin guard;
    /* Under the guard; tuco_cond_signal() also reads the first without it. */
    struct rt_waitq queue; /* a record's value: not NULL once its goroutine is parked */
};

_Static_assert(sizeof(tuco_cond) == sizeof(struct cond), "the public struct has room");
_Static_assert(_Alignof(tuco_cond) == _Alignof(struct cond), "and is aligned");

static struct cond *cond_of(tuco_cond *c) {
    return (struct cond *)c;
}

/* Parks, unless a signal has claimed w since it was enqueued. */
static int wait_for_signal(struct cond *c, struct rt_waiter *w, int64_t deadline_ns,
                           const void *pc) {
    rt_spin_lock(&c->guard);
    if (w->result != RT_WAIT_PENDING) {
        rt_spin_unlock(&c->guard);
        return w->result;
    }
    w->value = w; /* parked, as seen once the guard is released after the switch */
    rt_wait_record_park(w, &c->guard, deadline_ns, RT_WAIT_cond, pc);
    if (w->result != RT_WAIT_PENDING) {
        return w->result;
    }
    rt_spin_lock(&c->guard);
    rt_waitq_remove(&c->queue, w);
    rt_spin_unlock(&c->guard);
    return -ETIMEDOUT;
}

static int cond_wait_until(struct cond *c, tuco_mutex *m, int64_t deadline_ns,
                           const void *pc) {
    struct rt_g *g = rt_wait_begin();
    struct rt_waiter *w = rt_wait_record_until(g, NULL /* not parked */, deadline_ns);
    rt_spin_lock(&c->guard);
    rt_waitq_push(&c->queue, w);
    rt_spin_unlock(&c->guard);
    rt_mutex_unlock(m);
    int result = wait_for_signal(c, w, deadline_ns, pc);
    rt_wait_end(g); /* before the mutex, which may need the same record */
    (void)rt_mutex_lock_until(m, OS_NEVER, RT_WAIT_mutex, pc);
    return result;
}

void tuco_cond_wait(tuco_cond *c, tuco_mutex *m) {
    (void)cond_wait_until(cond_of(c), m, OS_NEVER, __builtin_return_address(0));
}

int tuco_cond_wait_until(tuco_cond *c, tuco_mutex *m, tuco_time deadline) {
    return cond_wait_until(cond_of(c), m, deadline, __builtin_return_address(0));
}

void tuco_cond_signal(tuco_cond *raw) {
    struct cond *c = cond_of(raw);
    /* relaxed: a waiter that must see this signal was enqueued before it unlocked the
       mutex, and the caller has locked the mutex since, to change the condition. */
    if (rt_waitq_seems_empty(&c->queue)) {
        return;
    }
    /* Enter before claiming a waiter, so that checkdead does not report a deadlock while a
       foreign thread is about to wake it. */
    rt_enter();
    rt_spin_lock(&c->guard);
    struct rt_waiter *w = rt_waitq_claim(&c->queue);
    bool parked = w != NULL && w->value != NULL;
    if (w != NULL) {
        w->result = 0;
    }
    rt_spin_unlock(&c->guard);
    if (parked) {
        rt_ready(w->g);
    }
    rt_leave();
}

/* Claims every waiter; returns a list of those that are parked. */
static struct rt_g *cond_claim_all_locked(struct cond *c) {
    struct rt_g *list = NULL;
    struct rt_waiter *w;
    rt_assert_spin_held(&c->guard);
    while ((w = rt_waitq_claim(&c->queue)) != NULL) {
        w->result = 0;
        if (w->value != NULL) {
            rt_g_link(w->g, list);
            list = w->g;
        }
    }
    return list;
}

void tuco_cond_broadcast(tuco_cond *raw) {
    struct cond *c = cond_of(raw);
    if (rt_waitq_seems_empty(&c->queue)) { /* relaxed: as in tuco_cond_signal() */
        return;
    }
    rt_enter(); /* as in tuco_cond_signal() */
    rt_spin_lock(&c->guard);
    struct rt_g *list = cond_claim_all_locked(c);
    rt_spin_unlock(&c->guard);
    if (list != NULL) {
        rt_ready_list(list);
    }
    rt_leave();
}
