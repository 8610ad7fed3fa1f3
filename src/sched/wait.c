/* SPDX-License-Identifier: MIT */
/* Waiting in queues, with or without a deadline. The protocol is in wait.h. */
#include "sched/wait.h"
#include "sched/park.h"
#include "time/timer.h"

/* What the commit has to do. On the waiter's stack: the commit reads it before it
   publishes the waiter, who may go on from then on. */
struct plan {
    rt_unlock_fn *unlock;
    void *arg;
    uint32_t ticket;
    int64_t deadline_ns;
};

static void commit_plan(struct rt_m *m, struct rt_g *g, void *raw) {
    struct plan plan = *(struct plan *)raw;
    /* The timer first: g waits for the locks as well as for the clock until they are
       released. m is NULL for a foreign thread, which watches the clock itself. */
    if (m != NULL && plan.deadline_ns != OS_NEVER) {
        rt_timer_arm_g(g, plan.ticket, plan.deadline_ns);
    }
    plan.unlock(plan.arg);
}

static void unlock_one(void *lock) {
    rt_spin_unlock(lock);
}

void rt_wait_several(struct rt_g *g, rt_unlock_fn *unlock, void *arg, uint32_t ticket,
                     int64_t deadline_ns, enum rt_wait_reason reason, const void *pc) {
    struct plan plan = {unlock, arg, ticket, deadline_ns};
    struct rt_m *m = arch_self();
    if (unlikely(m == NULL)) {
        rt_foreign_park(g, commit_plan, &plan, ticket, deadline_ns);
        return;
    }
    rt_park(m, commit_plan, &plan, reason, pc);
    if (deadline_ns != OS_NEVER) {
        rt_timer_disarm_g(g);
    }
}

void rt_wait_until(struct rt_g *g, struct rt_spin *lock, uint32_t ticket,
                   int64_t deadline_ns, enum rt_wait_reason reason, const void *pc) {
    rt_wait_several(g, unlock_one, lock, ticket, deadline_ns, reason, pc);
}

void rt_wait(struct rt_g *g, struct rt_spin *lock, enum rt_wait_reason reason,
             const void *pc) {
    struct rt_m *m = arch_self();
    if (unlikely(m == NULL)) {
        rt_wait_several(g, unlock_one, lock, RT_TICKET_ALONE, OS_NEVER, reason, pc);
        return;
    }
    rt_park_unlock(m, lock, reason, pc);
}
