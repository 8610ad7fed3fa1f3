/* SPDX-License-Identifier: MIT */
/* Prints goroutines in the format of Go's tracebacks. */
#include "debug/dump.h"
#include "base/backtrace.h"
#include "base/die.h"
#include "sched/thread/lockedm.h"
#include "sched/sysmon/sysmonnote.h"
#include "sched/sched.h"

#include <stdio.h>

/*
 * Names. ('Names') The C library looks up function names under a lock, which a thread that
 * loads a library holds for as long as that takes. If a goroutine stopped by a signal
 * holds it, and waits for the P of the thread that dies, the report would wait forever: a
 * thread inside the runtime keeps its P. So a final report first prints all that needs no
 * names. Then it resumes the stopped goroutines and looks up a name, with sysmon watching:
 * if the lookup takes longer than NAMES_NS, sysmon ends the process without the rest.
 *
 * A deadlock report does not need this, because no goroutine is stopped then. Nor does the
 * dump of a running process: its caller is outside the runtime, and sysmon can retake its
 * P.
 */
#define NAMES_NS ((int64_t)2 * 1000 * 1000 * 1000)

#define STDERR 2

/* Atomic: the deadline of the name lookup; OS_NEVER: none is under way. */
static rt_atomic(int64_t) names_due_ns = OS_NEVER;

static const char *const wait_reasons[] = {
#define RT_WAIT_REASON(name, text) text,
#include "sched/wait_reasons.def"
#undef RT_WAIT_REASON
};

void rt_dump_header(int fd, const struct rt_g *g, const char *state) {
    rt_print_to(fd, "goroutine %llu [%s]", (unsigned long long)g->id, state);
    if (g->name[0] != '\0') {
        rt_print_to(fd, " {name: %s}", g->name);
    }
    rt_print_to(fd, ":\n");
}

static void print_function(int fd, const char *before, const void *pc,
                           const char *after) {
    const char *name = rt_backtrace_function(pc);
    rt_print_to(fd, "%s%s%s", before, name != NULL ? name : "??", after);
    rt_print_to(fd, "\n\t");
    rt_backtrace_print_pc(fd, pc);
    rt_print_to(fd, "\n");
}

void rt_dump_creator(int fd, const struct rt_g *g) {
    char where[64];
    if (g->creator_pc == NULL) {
        return; /* the main goroutine */
    }
    if (g->creator_id != 0) {
        snprintf(where, sizeof where, " in goroutine %llu",
                 (unsigned long long)g->creator_id);
    } else {
        snprintf(where, sizeof where, " in a foreign thread");
    }
    /* The return address minus one is inside the call instruction. */
    print_function(fd, "created by ", (const char *)g->creator_pc - 1, where);
}

static void dump_one(int fd, const struct rt_g *g, uint32_t state, bool first) {
    const char *text = rt_gstatus_name(state);
    if (state == RT_G_WAITING && g->wait_reason < RT_WAIT_REASONS) {
        text = wait_reasons[g->wait_reason];
    }
    if (!first) {
        rt_print_to(fd, "\n");
    }
    rt_dump_header(fd, g, text);
    if (state == RT_G_WAITING && g->wait_pc != NULL) {
        print_function(fd, "", (const char *)g->wait_pc - 1, "(...)");
    } else if (state == RT_G_RUNNABLE && g->stack == NULL) {
        print_function(fd, "", (const void *)g->fn, "(...)");
    } else if (state == RT_G_RUNNING) {
        rt_print_to(fd, "\tgoroutine running on other thread; stack unavailable\n");
    }
    rt_dump_creator(fd, g);
}

/* Copies a descriptor that its owner may be changing meanwhile. The copy may mix two
   moments, which is the best possible without stopping the goroutine. Returns false if the
   goroutine was not alive, or changed its state during the copy. */
static __attribute__((no_sanitize("thread"))) bool copy_alive(struct rt_g *copy,
                                                              const struct rt_g *g) {
    const volatile uint64_t *from = (const volatile uint64_t *)g;
    uint64_t *to = (uint64_t *)copy;
    /* acquire: keeps the copy after this load. No release partner. */
    uint32_t before = rt_load_acq(&g->slot.state);
    for (size_t i = 0; i < sizeof *g / sizeof *to; i++) {
        to[i] = from[i];
    }
    bool alive =
        before == RT_G_RUNNABLE || before == RT_G_RUNNING || before == RT_G_WAITING;
    /* relaxed: our own copy */
    return alive && before == rt_load_rlx(&copy->slot.state) &&
           (copy->flags & RT_G_FLAG_FOREIGN) == 0;
}

void rt_dump_goroutines(int fd) {
    bool first = true;
    struct rt_g copy;
    uint32_t end = rt_gpool_end();
    for (uint32_t i = 1; i < end; i++) {
        if (copy_alive(&copy, rt_g_of(rt_gpool_at(i)))) {
            copy.name[TUCO_NAME_MAX] = '\0';
            /* relaxed: our own copy */
            dump_one(fd, &copy, rt_load_rlx(&copy.slot.state), first);
            first = false;
        }
    }
}

void rt_dump_await_names(void) {
    /* relaxed, both stores: sysmon polls the value */
    rt_store_rlx(&names_due_ns, os_now() + NAMES_NS);
    rt_sysmon_wake(); /* sysmon may be dormant */
    rt_lockedm_let_go();
    (void)rt_backtrace_function((const void *)rt_dump_await_names);
    rt_store_rlx(&names_due_ns, OS_NEVER);
}

int64_t rt_dump_guard(int64_t now_ns) {
    int64_t due_ns = rt_load_rlx(&names_due_ns); /* relaxed: polled at every tick */
    if (now_ns >= due_ns) {
        rt_print("tuco: the rest of this report waits for a lock of the C library\n");
        rt_die_end();
    }
    return due_ns;
}

void rt_dump_current(const void *skip_until, bool whole) {
    struct rt_m *m = arch_self();
    const struct rt_g *g = m != NULL && rt_m_g(m) != &m->g0 ? rt_m_g(m) : NULL;
    rt_print("\n");
    if (m == NULL) {
        rt_print("thread [not a goroutine]:\n");
    } else if (g == NULL) {
        rt_print("scheduler of M%u [running]:\n", m->id);
    } else {
        rt_dump_header(STDERR, g, "running");
    }
    rt_dump_await_names();
    rt_backtrace_print(STDERR, skip_until, whole);
    if (g != NULL) {
        rt_dump_creator(STDERR, g);
    }
}
