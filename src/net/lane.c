/* SPDX-License-Identifier: MIT */
/* Taking turns. The rules are in lane.h. */
#include "net/lane.h"
#include "base/die.h"
#include "sched/park.h"

#include <errno.h>

/* RT_WAIT_PENDING: it is somebody else's turn. */
static int try_locked(struct rt_lane *t) {
    rt_assert_spin_held(&t->lock);
    if (unlikely(t->closed)) {
        return -ECANCELED;
    }
    if (t->taken) {
        return RT_WAIT_PENDING;
    }
    t->taken = true;
    return 0;
}

static int wait_for(struct rt_lane *t, struct rt_g *g, const void *pc) {
    struct rt_waiter *w = rt_wait_record(g, NULL, RT_TICKET_ALONE);
    rt_spin_lock(&t->lock);
    int result = try_locked(t);
    if (result != RT_WAIT_PENDING) {
        rt_spin_unlock(&t->lock);
        return result;
    }
    rt_waitq_push(&t->queue, w);
    rt_wait(g, &t->lock, RT_WAIT_io, pc);
    return w->result;
}

int rt_lane_take(struct rt_lane *t, const void *pc) {
    rt_enter(); /* who is stopped by a signal must not hold the lock */
    rt_spin_lock(&t->lock);
    int result = try_locked(t);
    rt_spin_unlock(&t->lock);
    rt_leave();
    if (likely(result != RT_WAIT_PENDING)) {
        return result;
    }
    struct rt_g *g = rt_wait_begin();
    result = wait_for(t, g, pc);
    rt_wait_end(g);
    return result;
}

void rt_lane_pass(struct rt_lane *t) {
    rt_enter(); /* before somebody is off the queue: see release() in sync/sem.c */
    rt_spin_lock(&t->lock);
    rt_assert(t->taken);
    struct rt_waiter *w = rt_waitq_claim(&t->queue);
    if (w == NULL) {
        t->taken = false;
    } else {
        w->result = 0;
    }
    rt_spin_unlock(&t->lock);
    if (w != NULL) {
        rt_ready(w->g);
    }
    rt_leave();
}

void rt_lane_close(struct rt_lane *t) {
    struct rt_g *list = NULL;
    struct rt_waiter *w;
    rt_enter(); /* as above */
    rt_spin_lock(&t->lock);
    t->closed = true;
    while ((w = rt_waitq_claim(&t->queue)) != NULL) {
        w->result = -ECANCELED;
        rt_g_link(w->g, list);
        list = w->g;
    }
    rt_spin_unlock(&t->lock);
    if (list != NULL) {
        rt_ready_list(list);
    }
    rt_leave();
}
