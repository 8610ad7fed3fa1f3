/* SPDX-License-Identifier: MIT */
/* Asking a goroutine to give way, and making it. */
#include "sched/preempt.h"
#include "base/die.h"
#include "base/fence.h"
#include "sched/bound.h"
#include "sched/enter.h"
#include "sched/sched.h"
#include "sched/spare.h"
#include "sched/starter.h"

#include <tuco/go.h>

/*
 * Problem. A goroutine that computes keeps its P. A compiler that knows the runtime can
 * tell where it is safe to take the registers away and to go on elsewhere; C has none
 * such. At any instruction the program may be about to use the address of a thread-local
 * variable, errno among them, or hold a lock of the C library that only this thread may
 * release.
 *
 * Rejected. To switch stacks in a signal handler and to resume on another thread: it
 * corrupts exactly that. To switch, and resume on the same thread only: other goroutines
 * that run there meanwhile meet the thread's half-done malloc.
 *
 * The way taken. The goroutine keeps its thread, and gives away its P: the handler of a
 * signal, on the thread's alternate stack, hands the P over and waits. The goroutine is
 * bound to its M until its turn has come: see bound.h. It costs a signal and two wake-ups
 * of threads, some tens of microseconds, once in a time slice, and only if somebody waits
 * for the P. First it is asked: a goroutine that enters the runtime, or comes to
 * tuco_checkpoint(), yields by itself.
 *
 * Inside the runtime the signal does nothing, and is sent again. So the P, the queues and
 * the runtime's own locks are never in the hands of one who waits in a handler; but locks
 * of the C library may be. That is why nobody who has a P waits for those inside the
 * runtime: it allocates outside, and starts threads elsewhere, see starter.c.
 *
 * A signal says by what it carries that it is the runtime's. Where the kernel has no room to
 * keep that, because the user has as many signals pending as he may, it comes without; then
 * one that a thread expects is taken as ours, and the program, whose it may be as well, gets
 * it too. Nor is a thread interrupted that has no alternate stack, for want of memory: the
 * handler would run on the goroutine's, which may have no room for it.
 *
 * Each goroutine that waits so costs a thread. There are at most preemptmax of them; if
 * there are as many, one is stopped only in exchange for another, who waits for a P as
 * well.
 */

/* How long it may take to start a thread, before the M that would run on it is not waited
   for any more. */
#define NO_SPARE_NS ((int64_t)5 * 1000 * 1000)

/* Atomic: how many Ms are asked to yield and have not yet. For tuco_checkpoint(). */
unsigned tuco_private_checkpoint_wanted;

/* Immutable while the runtime runs. */
static bool has_handler;

static rt_atomic(unsigned) *wanted(void) {
    return (rt_atomic(unsigned) *)&tuco_private_checkpoint_wanted;
}

/* Only a thread that there is answers. */
static bool has_thread(const struct rt_m *m) {
    return rt_load_rlx(&m->number) > 0; /* relaxed: ordered by m->asked, or the lock */
}

void rt_preempt_ask(struct rt_m *m) {
    /* acq_rel: the thread sees it at some later entry. If it comes after the end of the M, it
       sees that. Pairs with rt_preempt_reset(). */
    if ((rt_or_acqrel(&m->asked, RT_ASKED_YIELD) & RT_ASKED_YIELD) == 0) {
        rt_add_rlx(wanted(), 1); /* relaxed: a hint */
    }
    if (unlikely(!has_thread(m))) {
        rt_preempt_answered(m);
    }
}

void rt_preempt_reset(struct rt_m *m, uint32_t asked) {
    /* acq_rel: after the number is gone. Pairs with rt_preempt_ask(). */
    if ((rt_swap_acqrel(&m->asked, asked) & RT_ASKED_YIELD) != 0) {
        rt_sub_rlx(wanted(), 1); /* relaxed: likewise */
    }
}

void rt_preempt_answered(struct rt_m *m) {
    if (likely((rt_load_rlx(&m->asked) & RT_ASKED_YIELD) == 0)) {
        return; /* relaxed: one who asks now asks the next goroutine */
    }
    /* acq_rel: likewise */
    if ((rt_and_acqrel(&m->asked, ~(uint32_t)RT_ASKED_YIELD) & RT_ASKED_YIELD) != 0) {
        rt_sub_rlx(wanted(), 1); /* relaxed: likewise */
    }
}

bool rt_preempt_may(const struct rt_m *m) {
    const struct rt_g *g = rt_m_g(m);
    /* relaxed: its own. In an inner bracket somebody may hold a lock. */
    return g != &m->g0 && g->preempt_off == 0 && rt_load_rlx(&m->inside) == 1;
}

/* Whatever becomes of it, it has come. */
static bool was_sent(struct rt_m *m) {
    /* acq_rel: stronger than needed */
    uint32_t asked = rt_and_acqrel(&m->asked, ~(uint32_t)RT_ASKED_SIGNAL);
    return (asked & RT_ASKED_SIGNAL) != 0;
}

/* On the thread, in the handler of the signal, the program's code below it. */
static void on_interrupt(bool told) {
    struct rt_m *m = arch_self();
    bool ours = m != NULL && (was_sent(m) || told);
    if (!ours || !rt_m_is_outside(m)) {
        return;
    }
    rt_store_rlx(&m->inside, 1); /* relaxed, all: see 'Inside' in enter.h */
    rt_fence_compiler();
    if (!rt_fence_reaches_all) {
        /* fence(sc): inside before asked. As in rt_enter_slow(). */
        rt_fence_sc();
    }
    uint32_t asked = rt_load_acq(&m->asked); /* acquire: as in rt_enter_slow() */
    while ((asked & RT_ASKED_CLAIMED) != 0 &&
           /* acq_rel: decides against the monitor */
           !rt_cas_acqrel(&m->asked, &asked, asked & ~(uint32_t)RT_ASKED_CLAIMED)) {
    }
    if ((asked & RT_ASKED_TAKEN) == 0 && (asked & RT_ASKED_YIELD) != 0 &&
        rt_preempt_may(m)) {
        rt_preempt_answered(m);
        rt_bound_step_aside(m);
    }
    rt_m_leave(m);
}

/* The P goes to a spare M. If none can be had, perhaps because the C library's lock that
   the starter wants is with a goroutine that waits for a P itself, it goes straight to one
   of those, after a while. */
bool rt_preempt_can_force(const struct rt_m *m, int64_t waited_ns) {
    /* relaxed: written before it runs its first goroutine */
    if (!has_handler || !rt_m_is_outside(m) || !rt_load_rlx(&m->interruptible)) {
        return false;
    }
    bool in_exchange = rt_bound_length() > 0;
    if (rt_spare_count() == 0) {
        rt_starter_want_spare(false); /* until the next look */
        return in_exchange && waited_ns >= NO_SPARE_NS;
    }
    return in_exchange || rt_bound_room() > 0;
}

/* Under the lock the thread does not end, and its number is nobody else's. */
void rt_preempt_force(struct rt_m *m) {
    rt_lock(&rt_sched.lifecycle);
    if (has_thread(m)) {
        /* acq_rel: before it is sent; the handler is on that thread. */
        rt_or_acqrel(&m->asked, RT_ASKED_SIGNAL);
        os_thread_interrupt(rt_load_rlx(&m->number)); /* relaxed: under the lock */
    }
    rt_unlock(&rt_sched.lifecycle);
}

int rt_preempt_start(void) {
    has_handler = false;
    tuco_private_checkpoint_wanted = 0;
    if (rt_sched.config.debug.asyncpreempt_off) {
        return 0;
    }
    int error = os_interrupt_install(on_interrupt);
    has_handler = error == 0;
    return error;
}

void rt_preempt_stop(void) {
    if (has_handler) {
        os_interrupt_remove();
        has_handler = false;
    }
}

/* Public */

void tuco_private_checkpoint_slow(void) {
    struct rt_m *m = arch_self();
    /* relaxed: a hint */
    if (m != NULL && (rt_load_rlx(&m->asked) & RT_ASKED_YIELD) != 0) {
        rt_m_enter(m);
        rt_m_leave(arch_self());
    }
}

void tuco_preempt_off(void) {
    struct rt_m *m = arch_self();
    if (m != NULL) {
        struct rt_g *g = rt_m_g(m);
        g->flags |= RT_G_FLAG_ODD;
        g->preempt_off++;
        rt_fence_compiler(); /* what follows is not interrupted */
    }
}

void tuco_preempt_on(void) {
    struct rt_m *m = arch_self();
    if (m == NULL) {
        return;
    }
    struct rt_g *g = rt_m_g(m);
    if (unlikely(g->preempt_off == 0)) {
        rt_panic("tuco_preempt_on without tuco_preempt_off");
    }
    rt_fence_compiler();
    g->preempt_off--;
    tuco_private_checkpoint_slow();
}
