/* SPDX-License-Identifier: MIT */
/* Reports a stack overflow: from the signal handler of a thread that hit a guard, or from
   a switch that finds the stack pointer below the stack. */
#include "debug/overflow.h"
#include "base/die.h"
#include "os/os.h"
#include "debug/dump.h"
#include "sched/sched.h"

/* How far below a thread's own stack a fault counts as its overflow. The C library's guard
   is one page, but frames may reach further. */
#define THREAD_GUARD_BYTES ((uintptr_t)64 * 1024)

/* How far below the stack pointer an instruction may access the stack: a call, a push, the
   red zone, a stack probe. */
#define BELOW_SP_BYTES ((uintptr_t)64 * 1024)

static bool thread_guard_hit(const struct rt_m *m, const void *address) {
    uintptr_t below = (uintptr_t)m->stack.low - (uintptr_t)address;
    return m->stack.low != NULL && below - 1 < THREAD_GUARD_BYTES;
}

/* Whether a frame has skipped the guard of s: the stack pointer is below the stack, and
   the address is not far below the stack pointer. A program that runs on its own stacks
   looks the same: see stackcheck in options.def. */
static bool guard_stepped_over(const struct rt_stack *s, const void *sp,
                               const void *address) {
    uintptr_t low = (uintptr_t)rt_stack_usable(s);
    return rt_sched.config.debug.stack_check && (uintptr_t)sp < low &&
           (uintptr_t)address < low &&
           (uintptr_t)address + BELOW_SP_BYTES >= (uintptr_t)sp;
}

/* pc: the faulting instruction; NULL: the caller detected the overflow. */
static _Noreturn void report(const struct rt_g *g, const char *sp, const void *pc,
                             bool scheduler) {
    const struct rt_stack *s = g->stack;
    rt_die_begin();
    rt_print("runtime: %s stack exceeds %zu-byte limit\n",
             scheduler ? "scheduler" : "goroutine", rt_stack_bytes(s));
    rt_print("runtime: sp=%p stack=[%p, %p]\n", (const void *)sp, (void *)s->low,
             (void *)(s->low + rt_stack_bytes(s)));
    if (!scheduler && sp < s->low) {
        rt_print(
            "runtime: a frame larger than the guard ends %zu bytes below the stack\n",
            (size_t)(s->low - sp));
    }
    rt_print("fatal error: stack overflow\n");
    if (!scheduler) {
        rt_print(
            "goroutine %llu%s%s needs more than its %zu bytes of stack: raise TUCOSTACK or "
            "tuco_config.stack_size for all, or tuco_attr.stack_size for this one\n",
            (unsigned long long)g->id, g->name[0] != '\0' ? " " : "", g->name,
            rt_stack_bytes(s));
    }
    rt_dump_current(pc, scheduler);
    rt_die_end();
}

static bool overflow_on_fault(const struct os_fault_info *info) {
    struct rt_m *m = arch_self();
    if (m == NULL) {
        return false;
    }
    struct rt_g *g = rt_m_g(m);
    if (g != &m->g0 && g->stack != NULL &&
        (rt_stack_guard_hit(g->stack, info->address) ||
         guard_stepped_over(g->stack, info->sp, info->address))) {
        report(g, info->sp, info->pc, false);
    }
    if (g == &m->g0 && thread_guard_hit(m, info->address)) {
        report(g, info->sp, info->pc, true);
    }
    return false;
}

int rt_overflow_watch(void) {
    return os_fault_handler_install(overflow_on_fault);
}

void rt_overflow_unwatch(void) {
    os_fault_handler_remove();
}

struct violation {
    const struct rt_g *g;
    const char *sp;
};

static void *report_violation(void *raw) {
    const struct violation *v = raw;
    report(v->g, v->sp, NULL, false);
}

/* Reports on the thread's own stack, below the suspended scheduler. On the current stack
   the report would overwrite memory of others and could hit their guard. */
void rt_overflow_at_switch(struct rt_m *m, struct rt_g *g, char *sp) {
    struct violation v = {.g = g, .sp = sp};
    if (rt_sched.config.debug.stack_check) {
        arch_call_on(m->g0.ctx.sp, report_violation, &v);
    }
}
