/* SPDX-License-Identifier: MIT */
/* Condition variables: a queue that is entered under a mutex. */
#include "base/die.h"
#include "sched/park.h"
#include "sync/mutex.h"
#include "sync/waiting.h"

#include <errno.h>

/*
 * Problem. A waiter has to be in the queue before it releases the mutex, or it misses the
 * signal of one who takes the mutex right after. But releasing may wake somebody, which
 * is not done under a guard; so for a moment the waiter is in the queue and still runs,
 * and must not be readied.
 *
 * Rejected. Tickets, as Go has them: a waiter draws a number, and a signal looks for the
 * number whose turn it is. Numbers of those who have timed out would swallow signals.
 *
 * The way taken. The record says whether its goroutine is parked. A signal takes the
 * first record off the queue and gives it its result in either case, and readies only who
 * is parked; the other looks at its record, under the guard, before it parks.
 *
 *     waiter                              signal
 *     guard: record into the queue,       guard: first record off the queue, claimed;
 *         not parked                          result := 0
 *     release the mutex                   ready, if it is parked
 *     guard: no result yet? parked;
 *         park, and release the guard
 *     take the mutex
 *
 * Who has a deadline can be claimed by the clock only once it has parked, since the timer
 * is armed then. A signal that loses the claim goes on to the next in the queue: no
 * signal is lost to one who has timed out.
 */
struct cond {
    struct rt_spin guard;  /* guards the queue */
    struct rt_waitq queue; /* a record's value: not NULL once its goroutine is parked */
};

_Static_assert(sizeof(tuco_cond) == sizeof(struct cond), "the public struct has room");
_Static_assert(_Alignof(tuco_cond) == _Alignof(struct cond), "and is aligned");

static struct cond *cond_of(tuco_cond *c) {
    return (struct cond *)c;
}

/* Parks unless there has been a signal since w was put into the queue. */
static int wait_for_signal(struct cond *c, struct rt_waiter *w, int64_t deadline_ns,
                           const void *pc) {
    rt_spin_lock(&c->guard);
    if (w->result != RT_WAIT_PENDING) {
        rt_spin_unlock(&c->guard);
        return w->result;
    }
    w->value = w; /* parked, for who finds it once the guard is released */
    rt_wait_record_park(w, &c->guard, deadline_ns, RT_WAIT_cond, pc);
    if (w->result != RT_WAIT_PENDING) {
        return w->result;
    }
    rt_spin_lock(&c->guard);
    rt_waitq_remove(&c->queue, w);
    rt_spin_unlock(&c->guard);
    return -ETIMEDOUT;
}

static int wait_until(struct cond *c, tuco_mutex *m, int64_t deadline_ns,
                      const void *pc) {
    struct rt_g *g = rt_wait_begin();
    struct rt_waiter *w = rt_wait_record_until(g, NULL /* not parked */, deadline_ns);
    rt_spin_lock(&c->guard);
    rt_waitq_push(&c->queue, w);
    rt_spin_unlock(&c->guard);
    rt_mutex_unlock(m);
    int result = wait_for_signal(c, w, deadline_ns, pc);
    rt_wait_end(g); /* before the mutex, which may need a record as well */
    (void)rt_mutex_lock_until(m, OS_NEVER, RT_WAIT_mutex, pc);
    return result;
}

void tuco_cond_wait(tuco_cond *c, tuco_mutex *m) {
    (void)wait_until(cond_of(c), m, OS_NEVER, __builtin_return_address(0));
}

int tuco_cond_wait_until(tuco_cond *c, tuco_mutex *m, tuco_time deadline) {
    return wait_until(cond_of(c), m, deadline, __builtin_return_address(0));
}

void tuco_cond_signal(tuco_cond *raw) {
    struct cond *c = cond_of(raw);
    /* relaxed: whoever is to see the signal was in the queue when it released the mutex,
       and the caller has taken the mutex since, to change what it waits for. */
    if (rt_waitq_seems_empty(&c->queue)) {
        return;
    }
    /* Before a waiter is off the queue, so that a deadlock is not reported with him in a
       foreign thread's hands. */
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

/* Everybody off the queue; a list of those who are parked. */
static struct rt_g *claim_all_locked(struct cond *c) {
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
    struct rt_g *list = claim_all_locked(c);
    rt_spin_unlock(&c->guard);
    if (list != NULL) {
        rt_ready_list(list);
    }
    rt_leave();
}
