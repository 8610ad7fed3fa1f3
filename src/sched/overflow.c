/* SPDX-License-Identifier: MIT */
/* The report of a stack overflow, made on the signal stack of the thread that hit a
   guard. */
#include "sched/overflow.h"
#include "base/die.h"
#include "os/os.h"
#include "sched/dump.h"
#include "sched/sched.h"

/* A thread's own guard, below its stack. The C library's is one page; frames may reach
   further. */
#define THREAD_GUARD_BYTES ((uintptr_t)64 * 1024)

static bool thread_guard_hit(const struct rt_m *m, const void *address) {
    uintptr_t below = (uintptr_t)m->stack.low - (uintptr_t)address;
    return m->stack.low != NULL && below - 1 < THREAD_GUARD_BYTES;
}

static _Noreturn void report(const struct rt_g *g, const struct os_fault_info *info,
                             bool scheduler) {
    rt_die_begin();
    rt_print("runtime: %s stack exceeds %zu-byte limit\n",
             scheduler ? "scheduler" : "goroutine", rt_stack_bytes(g->stack));
    rt_print("runtime: sp=%p stack=[%p, %p]\n", info->sp, (void *)g->stack->low,
             (void *)(g->stack->low + rt_stack_bytes(g->stack)));
    rt_print("fatal error: stack overflow\n");
    if (!scheduler) {
        rt_print(
            "goroutine %llu%s%s needs more than its %zu bytes of stack: raise TUCOSTACK or "
            "tuco_config.stack_size for all, or tuco_attr.stack_size for this one\n",
            (unsigned long long)g->id, g->name[0] != '\0' ? " " : "", g->name,
            rt_stack_bytes(g->stack));
    }
    rt_dump_current();
    os_exit(RT_EXIT_STATUS);
}

static bool on_fault(const struct os_fault_info *info) {
    struct rt_m *m = arch_self();
    if (m == NULL) {
        return false;
    }
    struct rt_g *g = rt_m_g(m);
    if (g != &m->g0 && g->stack != NULL && rt_stack_guard_hit(g->stack, info->address)) {
        report(g, info, false);
    }
    if (g == &m->g0 && thread_guard_hit(m, info->address)) {
        report(g, info, true);
    }
    return false;
}

int rt_overflow_watch(void) {
    return os_fault_handler_install(on_fault);
}

void rt_overflow_unwatch(void) {
    os_fault_handler_remove();
}
