/* SPDX-License-Identifier: MIT */
/* Invariants that hold at every moment of every scenario. */
#include "oracle.h"
#include "arch/arch.h"
#include "machine.h"
#include "mem/gpool.h"
#include "os_fd.h"
#include "scenario.h"
#include "sched/syscall/enter.h"
#include "sched/pending.h"
#include "sched/thread/wakep.h"
#include "sched/sched.h"

#include <string.h>

/* Whether the starter waits for a free thread because the scenario limits threads. */
static bool is_at_limit(void) {
    return sim_threads_lack && rt_pidle_wanted() > 0 &&
           (int)rt_load_rlx(&rt_sched.threads) >= rt_load_rlx(&rt_sched.max_threads);
}

/* Skipped if sysmon will retry, because a thread was refused, or if the starter will,
   because it must first join a thread or max_threads is reached. */
static void check_nothing_queued(void) {
    if (rt_pidle_aside(rt_load_rlx(&rt_pidle.word)) > 0 || rt_sched.ended_m != NULL ||
        is_at_limit()) {
        return;
    }
    uint32_t queued = rt_pending_count(UINT32_MAX);
    if (queued > 0) {
        sim_fail("%u goroutines are queued, and every thread sleeps", queued);
    }
    for (uint32_t i = 0; i < rt_sched_ps_end(); i++) {
        if (rt_load_rlx(&rt_sched.ps[i].runq.runnext) != NULL) {
            sim_fail("a goroutine is next on P %u, and every thread sleeps", i);
        }
    }
}

static void check_ps_used(void) {
    uint32_t used = rt_pidle_total(rt_load_rlx(&rt_pidle.word));
    if (used != rt_sched_procs()) {
        sim_fail("%u Ps are in use and %u are wanted, and every thread sleeps", used,
                 rt_sched_procs());
    }
}

/* No thread calls the poller before the next deadline. */
static void check_some_thread_polls(void) {
    int64_t since_ns = sim_poll_untold_since();
    if (since_ns != SIM_NEVER && sim.next_deadline_ns - since_ns > SIM_LATE_NS) {
        sim_fail("a descriptor is ready, and no thread polls");
    }
}

/* The machine is quiet and every buffer is empty: these loads read memory itself. */
void sim_oracle_all_asleep(void) {
    if (rt_phase_now() != RT_RUNNING || sim.blocked > 0) {
        return; /* the goroutines are abandoned, or sysmon will retry */
    }
    check_nothing_queued();
    check_ps_used();
    check_some_thread_polls();
}

/* Longer than sysmon's interval between polls while a P is busy. */
#define POLL_LATE_NS ((int64_t)11 * 1000 * 1000)

/* No thread sleeps in the poller, or the kernel would have woken it. */
static void check_sysmon_polls(void) {
    int64_t since_ns = sim_poll_untold_since();
    const struct sim_thread *t = sim_thread_named("tuco-sysmon");
    if (since_ns != SIM_NEVER && t != NULL && t->deadline_ns - since_ns > POLL_LATE_NS) {
        sim_fail("a descriptor is ready and a processor idle, and no thread polls");
    }
}

void sim_oracle_others_asleep(void) {
    bool quiet = sim.quiet;
    sim.quiet = true;
    uint32_t idle = rt_pidle_ps(rt_load_rlx(&rt_pidle.word));
    if (rt_phase_now() == RT_RUNNING && idle > 0) {
        /* excludes goroutines that their P keeps: sysmon handles those */
        uint32_t queued = rt_pending_surplus(UINT32_MAX);
        if (queued > 0) {
            sim_fail(
                "%u goroutines are queued and %u processors idle, and the thread that "
                "should start one sleeps",
                queued, idle);
        }
        check_sysmon_polls();
    }
    sim.quiet = quiet;
}

/* Uses the thread's actual stack pointer, independent of its M and its store buffer. */
static bool on_stack(const void *sp, const struct rt_stack *stack) {
    return stack != NULL && (uintptr_t)sp - (uintptr_t)stack->low < rt_stack_bytes(stack);
}

static void check_stack(const struct rt_m *m) {
    const struct rt_g *g = rt_m_g(m);
    const char here;
    if (g == NULL || g == &m->g0 || !on_stack(&here, g->stack)) {
        return;
    }
    for (int i = 0; i < sim.threads_end; i++) {
        const struct sim_thread *t = &sim.threads[i];
        bool left = t->state == SIM_RUNNABLE || t->state == SIM_ASLEEP;
        if (t != sim.self && left && on_stack(t->ctx.sp, g->stack)) {
            sim_fail("threads %d and %d are both on the stack of goroutine %llu",
                     sim.self->id, t->id, (unsigned long long)g->id);
        }
    }
}

static bool is_one_of(const char *name, const char *const *names) {
    while (*names != NULL && strcmp(name, *names) != 0) {
        names++;
    }
    return *names != NULL;
}

/* Whether the step of t is one by which a thread detects that its P was retaken, in an
   entry or in a signal handler. Names static functions of src/sched: keep in step with
   them. */
static bool is_entry(const struct sim_thread *t) {
    static const char *const anywhere[] = {
        "rt_m_enter",
        "rt_m_enter_nested",
        "rt_enter_slow",
        "rt_m_drop_taken",
        "claim_withdraw",
        "on_interrupt",
        "was_sent",
        "rt_m_is_outside",
        "afterwards", /* a store of any of them */
        NULL,
    };
    static const char *const in_handler[] = {"rt_preempt_may", "rt_m_g", "rt_m_leave",
                                             NULL};
    return is_one_of(t->site->function, anywhere) ||
           (t->signals_blocked != 0 && is_one_of(t->site->function, in_handler));
}

/* An M owns the P that it points to, unless the P was retaken: then the pointer stays
   until the M enters the runtime. */
static bool is_taken(const struct rt_m *m) {
    return (rt_load_rlx(&m->asked) & RT_ASKED_TAKEN) != 0;
}

static void check_other(const struct rt_m *m, const struct rt_m *other) {
    if (other != m && other->p == m->p && !is_taken(other)) {
        sim_fail("Ms %u and %u both have P %u", m->id, other->id, m->p->id);
    }
}

static void check_p(const struct rt_m *m) {
    if (m->p == NULL || rt_phase_now() != RT_RUNNING) {
        return;
    }
    if (is_taken(m)) {
        bool inside = sim_load_own(&m->inside, sizeof m->inside) != 0;
        if (inside && !is_entry(sim.self)) {
            sim_fail("M %u is inside, and its P %u was taken", m->id, m->p->id);
        }
        return;
    }
    for (const struct rt_m *other = rt_sched.all_m; other != NULL;
         other = other->all_next) {
        check_other(m, other);
    }
    if (rt_sched.adopted_m != NULL) {
        check_other(m, rt_sched.adopted_m);
    }
}

void sim_oracle_turn(void) {
    const struct rt_m *m = arch_self();
    if (m != NULL) {
        check_stack(m);
        check_p(m);
    }
}

/* Only the owner advances a ring's tail or sets runnext to a value other than NULL. */
void sim_oracle_store(const void *p, uint64_t value) {
    size_t at = (size_t)((uintptr_t)p - (uintptr_t)rt_sched.ps);
    if (rt_sched.ps == NULL || at >= SIM_PROCS_MAX * sizeof rt_sched.ps[0]) {
        return;
    }
    const struct rt_p *owned = &rt_sched.ps[at / sizeof *owned];
    bool puts = p == &owned->runq.tail || p == &owned->yieldq.tail ||
                (p == &owned->runq.runnext && value != 0);
    const struct rt_m *m = arch_self();
    if (puts && (m == NULL || m->p != owned)) {
        sim_fail(
            "a goroutine is put into the queue of P %u by a thread that does not own it",
            owned->id);
    }
}

/* Stacks */

void sim_oracle_stack_back(const struct rt_stack *s) {
    const char here;
    bool own = on_stack(&here, s);
    for (int i = 0; i < sim.threads_end; i++) {
        const struct sim_thread *t = &sim.threads[i];
        bool left = t->state == SIM_RUNNABLE || t->state == SIM_ASLEEP;
        if (t == sim.self ? own : left && on_stack(t->ctx.sp, s)) {
            sim_fail("thread %d is on a stack that thread %d gives back", t->id,
                     sim.self->id);
        }
    }
}

/* Descriptors */

/* All of a free descriptor except what the pool may change (its link and the spare bytes)
   and what may still be buffered (the state, and what its end resets). */
#define KEPT_OFFSET sizeof(struct rt_gslot)
#define KEPT_BYTES  (RT_GSLOT_SPARE_OFFSET - KEPT_OFFSET)
#define KEPT_SLOTS  4096

static struct {
    bool dead;
    char bytes[KEPT_BYTES];
} kept[KEPT_SLOTS];

/* Leaves a field of struct rt_g out of the bytes. */
#define LEAVE_OUT(bytes, field)                                     \
    memset((bytes) + offsetof(struct rt_g, field) - KEPT_OFFSET, 0, \
           sizeof((struct rt_g *)0)->field)

static void copy_kept(char *bytes, const struct rt_gslot *s) {
    memcpy(bytes, (const char *)s + KEPT_OFFSET, KEPT_BYTES);
    LEAVE_OUT(bytes, blocking);
    LEAVE_OUT(bytes, preempt_off);
    LEAVE_OUT(bytes, hog_until_ms);
}

void sim_oracle_slot_freed(const struct rt_gslot *s) {
    if (s->index < KEPT_SLOTS) {
        if (kept[s->index].dead) {
            sim_fail("goroutine descriptor %u is given back twice", s->index);
        }
        kept[s->index].dead = true;
        copy_kept(kept[s->index].bytes, s);
    }
}

struct rt_gslot *sim_oracle_slot_taken(struct rt_gslot *s) {
    if (s != NULL && s->index < KEPT_SLOTS && kept[s->index].dead) {
        char bytes[KEPT_BYTES];
        copy_kept(bytes, s);
        kept[s->index].dead = false;
        if (memcmp(kept[s->index].bytes, bytes, KEPT_BYTES) != 0) {
            sim_fail("the descriptor %u of an ended goroutine has been written to",
                     s->index);
        }
    }
    return s;
}

void sim_oracle_slots_gone(void) {
    memset(kept, 0, sizeof kept);
}
