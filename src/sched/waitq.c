/* SPDX-License-Identifier: MIT */
/* Waiting in wait queues. The protocol is in waitq.h. */
#include "sched/waitq.h"
#include "sched/park.h"
#include "sched/timers.h"

/* The terms are on the waiter's stack. The commit copies them first: the waiter may resume
   once the timer is armed or the locks are released. */
static void commit_terms(struct rt_m *m, struct rt_g *g, void *raw) {
    struct rt_wait_terms terms = *(const struct rt_wait_terms *)raw;
    /* The timer first: after the unlock a waker may resume g, which then disarms it. m is
       NULL for a foreign thread, which watches the clock itself. */
    if (m != NULL && terms.deadline_ns != OS_NEVER) {
        rt_timer_arm_g(g, terms.ticket, terms.deadline_ns);
    }
    if (terms.unlock != NULL) {
        terms.unlock(terms.arg);
    }
}

static void unlock_one(void *lock) {
    rt_spin_unlock(lock);
}

void rt_wait_on(struct rt_g *g, const struct rt_wait_terms *terms) {
    struct rt_m *m = arch_self();
    if (unlikely(m == NULL)) {
        rt_foreign_park(g, commit_terms, (void *)terms, terms->ticket,
                        terms->deadline_ns);
        return;
    }
    rt_park(m, commit_terms, (void *)terms, terms->reason, terms->pc);
    if (terms->deadline_ns != OS_NEVER) {
        rt_timer_disarm_g(g);
    }
}

void rt_wait_until(struct rt_g *g, struct rt_spin *lock, uint32_t ticket,
                   int64_t deadline_ns, enum rt_wait_reason reason, const void *pc) {
    rt_assert_spin_held(lock);
    rt_race_release(lock);
    rt_wait_on(g, &(struct rt_wait_terms){.unlock = unlock_one,
                                          .arg = lock,
                                          .ticket = ticket,
                                          .deadline_ns = deadline_ns,
                                          .reason = reason,
                                          .pc = pc});
}

void rt_wait(struct rt_g *g, struct rt_spin *lock, enum rt_wait_reason reason,
             const void *pc) {
    rt_assert_spin_held(lock);
    struct rt_m *m = arch_self();
    if (unlikely(m == NULL)) {
        rt_wait_on(g, &(struct rt_wait_terms){.unlock = unlock_one,
                                              .arg = lock,
                                              .ticket = RT_TICKET_ALONE,
                                              .deadline_ns = OS_NEVER,
                                              .reason = reason,
                                              .pc = pc});
        return;
    }
    rt_park_unlock(m, lock, reason, pc);
}
