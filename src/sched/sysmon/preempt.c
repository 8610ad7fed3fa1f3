/* SPDX-License-Identifier: MIT */
/* Preemption: requesting that a goroutine yields, and forcing it by a signal. */
#include "sched/sysmon/preempt.h"
#include "base/die.h"
#include "base/fence.h"
#include "sched/thread/lockedm.h"
#include "sched/syscall/enter.h"
#include "sched/sched.h"
#include "sched/thread/startm.h"
#include "sched/thread/newmhandoff.h"
#include "sched/tuning.h"

#include <tuco/go.h>

/*
 * Problem. A goroutine that computes keeps its P. Go's compiler knows where it is safe to
 * save the registers and to resume on another thread; a C compiler does not. At any
 * instruction the program may be about to use the address of a thread-local variable, such
 * as errno, or hold a lock of the C library that only this thread may release.
 *
 * Rejected. To switch stacks in a signal handler and to resume on another thread: it
 * corrupts exactly that state. To switch and resume on the same thread only: other
 * goroutines that run there meanwhile meet the thread's half-done malloc.
 *
 * The way taken. The goroutine keeps its thread and gives its P away: the signal handler,
 * on the thread's alternate stack, hands the P off and waits. The goroutine is locked to
 * its M until its turn comes: see 'Locked' in lockedm.h. This costs a signal and two
 * wake-ups of threads, some tens of microseconds, once in a time slice, and only if
 * goroutines wait for the P. A request comes first: a goroutine that enters the runtime,
 * or reaches tuco_checkpoint(), yields by itself.
 *
 * Inside the runtime the handler does nothing, and sysmon sends the signal again. So a
 * goroutine that waits in a handler never holds a P, a queue or a lock of the runtime; but
 * it may hold locks of the C library. That is why no thread that has a P waits for those
 * inside the runtime: it allocates outside, and the starter thread starts threads, see
 * newm.c.
 *
 * A signal carries a mark that it is the runtime's. If the user has as many signals
 * pending as the kernel allows, the mark is lost. Then a thread that expects a signal
 * takes it as the runtime's, and the program's handler gets it too, since it may be the
 * program's. A thread without an alternate stack, for lack of memory, is not interrupted:
 * the handler would run on the goroutine's stack, which may have no room for it.
 *
 * Each goroutine that waits in a handler occupies a thread. Beyond preemptmax of them, most
 * stops are in exchange for another goroutine that resumes: see 'Too many stopped' in
 * lockedm.c. Sysmon need not check the limit before it stops one: a goroutine that waits in
 * a handler is in the list of locked ones, so if the list is empty, none waits.
 */

/* Atomic: how many Ms have a pending request to yield. For tuco_checkpoint(). */
unsigned tuco_private_checkpoint_wanted;

/* Immutable while the runtime runs. */
static bool has_handler;

static rt_atomic(unsigned) *wanted(void) {
    return (rt_atomic(unsigned) *)&tuco_private_checkpoint_wanted;
}

/* Whether m has a thread: without one, no thread clears a request. */
static bool has_thread(const struct rt_m *m) {
    return rt_load_rlx(&m->number) > 0; /* relaxed: ordered by m->asked, or the lock */
}

void rt_preempt_ask(struct rt_m *m, uint32_t switches, bool slice_over) {
    /* relaxed, both: published by the RMW below */
    rt_store_rlx(&m->asked_at, switches);
    rt_store_rlx(&m->asked_over, slice_over);
    /* acq_rel: the thread sees the request at a later entry. If m has been reset before,
       the caller sees that its number is gone. Pairs with rt_preempt_reset(). */
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
        rt_sub_rlx(wanted(), 1); /* relaxed: a hint */
    }
}

void rt_preempt_answered(struct rt_m *m) {
    if (likely((rt_load_rlx(&m->asked) & RT_ASKED_YIELD) == 0)) {
        return; /* relaxed: a later request is for the next goroutine */
    }
    /* acq_rel: atomic; decides which thread counts the request down. */
    if ((rt_and_acqrel(&m->asked, ~(uint32_t)RT_ASKED_YIELD) & RT_ASKED_YIELD) != 0) {
        rt_sub_rlx(wanted(), 1); /* relaxed: a hint */
    }
}

/* Between sysmon's look and the entry, m may have switched to a goroutine that has just
   been woken. */
bool rt_preempt_take(struct rt_m *m) {
    rt_preempt_answered(m);
    /* relaxed: published by the RMW in rt_preempt_ask(), and read after an acquire of
       asked */
    return rt_load_rlx(&m->asked_at) == rt_p_switches(m->p);
}

bool rt_preempt_may(const struct rt_m *m) {
    const struct rt_g *g = rt_m_g(m);
    /* relaxed: its own. In a nested entry the caller may hold a lock. */
    return g != &m->g0 && rt_load_rlx(&g->preempt_off) == 0 &&
           rt_load_rlx(&m->inside) == 1;
}

/* The signal has arrived, or was not sent. Returns true if m expected one. */
static bool was_sent(struct rt_m *m) {
    /* acq_rel: atomic; set before the signal is sent. */
    uint32_t asked = rt_and_acqrel(&m->asked, ~(uint32_t)RT_ASKED_SIGNAL);
    return (asked & RT_ASKED_SIGNAL) != 0;
}

/* The signal handler, on the thread that ran the program's code. marked: the signal has the
   runtime's mark. yields: the signal met the thread in sched_yield(). */
static void on_interrupt(bool marked, bool yields) {
    struct rt_m *m = arch_self();
    bool ours = m != NULL && (was_sent(m) || marked);
    if (!ours || !rt_m_is_outside(m)) {
        return;
    }
    rt_store_rlx(&m->inside, 1); /* relaxed, all: see 'Inside' in enter.h */
    rt_fence_compiler();
    if (!rt_fence_reaches_all) {
        /* fence(sc): inside before asked. Pairs with rt_fence_all_threads() in take_p() in
           retake.c. */
        rt_fence_sc();
    }
    uint32_t asked = rt_load_acq(&m->asked); /* acquire: as in rt_enter_slow() */
    while ((asked & RT_ASKED_CLAIMED) != 0 &&
           /* acq_rel: decides against the compare-and-swap in take_claimed() in
              retake.c */
           !rt_cas_acqrel(&m->asked, &asked, asked & ~(uint32_t)RT_ASKED_CLAIMED)) {
    }
    if (!rt_preempt_may(m)) {
        /* goes on */
    } else if ((asked & RT_ASKED_TAKEN) != 0) {
        rt_lockedm_recall(m, yields);
    } else if ((asked & RT_ASKED_YIELD) != 0 && rt_preempt_take(m)) {
        rt_lockedm_step_aside(m, yields);
    }
    rt_m_leave(m);
}

/* The P will go to a spare M. If no thread can be started, perhaps because the starter
   waits for a C library lock whose holder is stopped itself, it goes straight to a
   stopped goroutine after RT_NO_SPARE_NS. For the limit on stopped goroutines see the top
   of the file. */
bool rt_preempt_can_force(const struct rt_m *m, int64_t waited_ns) {
    /* relaxed: written before m runs its first goroutine */
    if (!has_handler || !rt_m_is_outside(m) || !rt_load_rlx(&m->interruptible)) {
        return false;
    }
    if (rt_midle_count() > 0) {
        return true;
    }
    rt_newm_want_spare(false); /* for the next look */
    return rt_lockedm_length() > 0 && waited_ns >= RT_NO_SPARE_NS;
}

bool rt_preempt_can_recall(const struct rt_m *m) {
    /* relaxed, both: hints. Safe because goroutine descriptors are never unmapped. */
    return has_handler && rt_m_is_outside(m) && rt_load_rlx(&m->interruptible) &&
           rt_load_rlx(&rt_m_g_seen(m)->preempt_off) == 0 && rt_lockedm_room() > 0;
}

/* The lifecycle lock keeps the thread from ending, so that its number is not reused. */
bool rt_preempt_force(struct rt_m *m, int64_t cpu_ns) {
    bool sent = true;
    rt_lock(&rt_sched.lifecycle);
    if (has_thread(m)) {
        /* acq_rel: atomic; before the signal is sent to that thread. */
        rt_or_acqrel(&m->asked, RT_ASKED_SIGNAL);
        /* relaxed: under the lock */
        sent = os_thread_interrupt(rt_load_rlx(&m->number), cpu_ns);
        if (!sent) {
            (void)was_sent(m);
        }
    }
    rt_unlock(&rt_sched.lifecycle);
    return sent;
}

void rt_preempt_thread_begin(struct rt_m *m) {
    m->had_blocked = has_handler && os_interrupt_unblock();
}

void rt_preempt_thread_end(struct rt_m *m) {
    if (m->had_blocked) {
        os_interrupt_block();
    }
}

int rt_preempt_start(void) {
    has_handler = false;
    rt_store_rlx(wanted(), 0); /* relaxed: a hint; foreign threads read it at any time */
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
    if (m == NULL) {
        return;
    }
    /* A goroutine that lost its P would compute beside the Ps. relaxed: exact on its own
       thread, or seen at the entry */
    if (unlikely((rt_load_rlx(&m->asked) & RT_ASKED_TAKEN) != 0)) {
        rt_m_enter(m);
        m = arch_self();
        rt_m_leave(m);
    }
    struct rt_g *g = rt_m_g(m);
    g->flags |= RT_G_FLAG_RESET_AT_END;
    /* relaxed, all: its own; a hint for sysmon */
    rt_store_rlx(&g->preempt_off, (uint16_t)(rt_load_rlx(&g->preempt_off) + 1));
    rt_fence_compiler(); /* what follows is not interrupted */
}

void tuco_preempt_on(void) {
    struct rt_m *m = arch_self();
    if (m == NULL) {
        return;
    }
    struct rt_g *g = rt_m_g(m);
    uint16_t depth = rt_load_rlx(&g->preempt_off);
    if (unlikely(depth == 0)) {
        rt_panic("tuco_preempt_on without tuco_preempt_off");
    }
    rt_fence_compiler();
    rt_store_rlx(&g->preempt_off, (uint16_t)(depth - 1));
    tuco_private_checkpoint_slow();
}
