/* SPDX-License-Identifier: MIT */
/* What must hold at every moment, whatever the scenario does. */
#include "oracle.h"
#include "arch/arch.h"
#include "machine.h"
#include "mem/gpool.h"
#include "os_fd.h"
#include "scenario.h"
#include "sched/enter.h"
#include "sched/find.h"
#include "sched/idle.h"
#include "sched/sched.h"

#include <string.h>

/* Not if the monitor comes back for it, because a thread was refused, or the starter,
   because one is to be joined first. */
static void check_nothing_queued(void) {
    if (rt_idle_aside(rt_load_rlx(&rt_idle.word)) > 0 || rt_sched.ended_m != NULL) {
        return;
    }
    uint32_t queued = rt_find_pending(UINT32_MAX);
    if (queued > 0) {
        sim_fail("%u goroutines are queued, and every thread sleeps", queued);
    }
    for (uint32_t i = 0; i < rt_sched_ps_end(); i++) {
        if (rt_load_rlx(&rt_sched.ps[i].runq.next) != NULL) {
            sim_fail("a goroutine is next on P %u, and every thread sleeps", i);
        }
    }
}

static void check_ps_used(void) {
    uint32_t used = rt_idle_total(rt_load_rlx(&rt_idle.word));
    if (used != rt_sched_procs()) {
        sim_fail("%u Ps are in use and %u are wanted, and every thread sleeps", used,
                 rt_sched_procs());
    }
}

/* Before anybody's next deadline nobody will ask the kernel. */
static void check_somebody_polls(void) {
    int64_t since_ns = sim_poll_untold_since();
    if (since_ns != SIM_NEVER && sim.next_deadline_ns - since_ns > SIM_LATE_NS) {
        sim_fail("a descriptor is ready, and nobody polls");
    }
}

/* The machine is quiet and every buffer empty: these loads are memory itself. */
void sim_oracle_all_asleep(void) {
    if (rt_phase_now() != RT_RUNNING || sim.blocked > 0) {
        return; /* what is queued is left behind, or the monitor comes back for it */
    }
    check_nothing_queued();
    check_ps_used();
    check_somebody_polls();
}

void sim_oracle_others_asleep(void) {
    bool quiet = sim.quiet;
    sim.quiet = true;
    uint32_t idle = rt_idle_ps(rt_load_rlx(&rt_idle.word));
    if (rt_phase_now() == RT_RUNNING && idle > 0) {
        /* the monitor comes back for those that a P keeps, and does not come to */
        uint32_t queued = rt_find_surplus(UINT32_MAX);
        if (queued > 0) {
            sim_fail(
                "%u goroutines are queued and %u processors idle, and who could bring "
                "them together sleeps",
                queued, idle);
        }
    }
    sim.quiet = quiet;
}

/* Where the thread is right now, which neither its M nor its buffer can be wrong
   about. */
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

/* Whether the step is one of those by which a thread finds out that its P is gone. */
static bool is_entry(const struct sim_site *site) {
    static const char *const functions[] = {
        "rt_m_enter", "rt_m_enter_nested", "rt_enter_slow", "get_p",
        "deny",       "on_interrupt",      "afterwards", /* a store of any of them */
    };
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        if (strcmp(site->function, functions[i]) == 0) {
            return true;
        }
    }
    return false;
}

/* The handler of a signal that finds the P gone just leaves. */
static bool is_handler_leaving(const struct sim_thread *t) {
    return t->signals_blocked != 0 && strcmp(t->site->function, "rt_m_leave") == 0;
}

/* An M has the P that it points to, unless that was taken: then it may point there until
   it has entered the runtime. */
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
        if (inside && !is_entry(sim.self->site) && !is_handler_leaving(sim.self)) {
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

/* Only the owner moves a ring's tail, or makes a next slot other than NULL. */
void sim_oracle_store(const void *p, uint64_t value) {
    size_t at = (size_t)((uintptr_t)p - (uintptr_t)rt_sched.ps);
    if (rt_sched.ps == NULL || at >= SIM_PROCS_MAX * sizeof rt_sched.ps[0]) {
        return;
    }
    const struct rt_p *owned = &rt_sched.ps[at / sizeof *owned];
    bool puts = p == &owned->runq.tail || (p == &owned->runq.next && value != 0);
    const struct rt_m *m = arch_self();
    if (puts && (m == NULL || m->p != owned)) {
        sim_fail("a goroutine is put into the queue of P %u by who does not have it",
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

/* All of a free descriptor but what the pool may change, its link and the spare bytes,
   and the state, which may still be on its way to memory. */
#define KEPT_OFFSET sizeof(struct rt_gslot)
#define KEPT_BYTES  (RT_GSLOT_SPARE_OFFSET - KEPT_OFFSET)
#define KEPT_SLOTS  4096

static struct {
    bool dead;
    char bytes[KEPT_BYTES];
} kept[KEPT_SLOTS];

void sim_oracle_slot_freed(const struct rt_gslot *s) {
    if (s->index < KEPT_SLOTS) {
        if (kept[s->index].dead) {
            sim_fail("goroutine descriptor %u is given back twice", s->index);
        }
        kept[s->index].dead = true;
        memcpy(kept[s->index].bytes, (const char *)s + KEPT_OFFSET, KEPT_BYTES);
    }
}

struct rt_gslot *sim_oracle_slot_taken(struct rt_gslot *s) {
    if (s != NULL && s->index < KEPT_SLOTS && kept[s->index].dead) {
        kept[s->index].dead = false;
        if (memcmp(kept[s->index].bytes, (const char *)s + KEPT_OFFSET, KEPT_BYTES) !=
            0) {
            sim_fail("the descriptor %u of an ended goroutine has been written to",
                     s->index);
        }
    }
    return s;
}

void sim_oracle_slots_gone(void) {
    memset(kept, 0, sizeof kept);
}
