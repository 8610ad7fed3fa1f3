/* SPDX-License-Identifier: MIT */
/* Ms: threads of the runtime, from start to end. */
#include "sched/thread.h"
#include "base/alloc.h"
#include "sched/loop.h"
#include "sched/monitor.h"
#include "sched/sanitize.h"
#include "sched/sched.h"

#include <errno.h>

/* When the runtime ends: what a goroutine that is still running may use of a CPU until it
   comes to its end or its next call, and how often its thread may be found asleep. It is
   then in the kernel, and not in one of the runtime's own locks, whose holder may itself
   have to wait for a CPU. */
#define GRACE_CPU_NS ((int64_t)10 * 1000 * 1000)
#define LOOK_NS      ((int64_t)10 * 1000 * 1000)
#define LOOKS_ASLEEP 25

/* The same where the kernel does not tell. It may only be waiting for a CPU, so that this
   is more; but not without end, because it may also wait for what never comes. */
#define LOOKS_UNTOLD 100

/* Counts the thread against max_threads. */
static bool reserve_thread(void) {
    /* relaxed: the compare-and-swap decides */
    uint32_t n = rt_load_rlx(&rt_sched.threads);
    do {
        if (n >= (uint32_t)rt_sched.config.max_threads) {
            return false;
        }
        /* acq_rel: stronger than needed */
    } while (!rt_cas_acqrel(&rt_sched.threads, &n, n + 1));
    return true;
}

static struct rt_m *m_make(struct rt_p *p) {
    if (!reserve_thread()) {
        return NULL;
    }
    struct rt_m *m = rt_alloc_lines(sizeof *m);
    if (m == NULL) {
        rt_sub_rlx(&rt_sched.threads, 1); /* relaxed: a count */
        return NULL;
    }
    m->id = p->id;
    m->p = p;
    rt_m_set_g(m, &m->g0);
    m->rand.state = ((uint64_t)p->id << 32) ^ (uint64_t)os_now();
    m->spinning = true; /* counted by whoever claimed p */
    m->g0.stack = &m->stack;
    rt_init(&m->g0.slot.state, RT_G_RUNNING);
    p->m = m;
    return m;
}

static void m_discard(struct rt_m *m) {
    m->p->m = NULL;
    rt_free(m);
    rt_sub_rlx(&rt_sched.threads, 1); /* relaxed: a count */
}

/* What has to be asked of the thread by itself. */
static void m_enter(struct rt_m *m) {
    void *low;
    void *high;
    os_thread_stack(&low, &high);
    m->stack.low = low;
    m->stack.top = high;
    /* The sanitizer wants to know how long it is; a thread's own need not be a power of
       two. */
    while (((size_t)1 << (m->stack.size_log2 + 1)) <=
           (size_t)((char *)high - (char *)low)) {
        m->stack.size_log2++;
    }
    if (RT_ASAN) {
        m->stack.low = (char *)high - rt_stack_bytes(&m->stack);
    }
    /* relaxed: a number, or 0 for a moment longer */
    rt_store_rlx(&m->number, os_thread_number());
    m->errno_address = os_errno_address();
    m->timer_slack_ns = os_timer_slack_remove(); /* it sleeps until timers are due */
    rt_san_thread(&m->g0);
    arch_self_set(m);
    rt_store_rlx(&m->p->cpu, os_cpu_current()); /* relaxed: a hint */
}

static void m_main(void *raw) {
    struct rt_m *m = raw;
    m_enter(m);
    /* Without it an overflow still ends the process, but without a report. */
    int error = os_signal_stack_install(&m->signal_stack);
    rt_monitor_poke();
    rt_loop(m, NULL);
    if (error == 0) {
        os_signal_stack_remove(m->signal_stack);
    }
    arch_self_set(NULL);
    /* release: all that was done on this thread. Pairs with the acquire in
       rt_thread_wait_gone(). */
    rt_add_acqrel(&rt_sched.gone, 1);
    os_futex_wake(&rt_sched.gone, 1);
}

/* Starts and links it in one go, unless the runtime is ending: so whoever has ended it
   finds all threads that were ever started, whether an M, the monitor or a foreign thread
   started them. */
static int start_and_link(struct rt_m *m, enum rt_phase wanted) {
    rt_lock(&rt_sched.lifecycle);
    int error = rt_phase_now() != wanted ? -ECANCELED
                                         : os_thread_start(&m->thread, "tuco", m_main, m);
    if (error == 0) {
        m->all_next = rt_sched.all_m;
        rt_sched.all_m = m;
    }
    rt_unlock(&rt_sched.lifecycle);
    return error;
}

static int start_in(struct rt_p *p, enum rt_phase wanted) {
    struct rt_m *m = m_make(p);
    if (m == NULL) {
        return -EAGAIN;
    }
    int error = start_and_link(m, wanted);
    if (error != 0) {
        m_discard(m);
    }
    return error;
}

int rt_thread_start(struct rt_p *p) {
    return start_in(p, RT_RUNNING);
}

int rt_thread_start_first(struct rt_p *p) {
    return start_in(p, RT_STOPPED);
}

struct rt_m *rt_thread_adopt(struct rt_p *p) {
    struct rt_m *m = m_make(p);
    if (m == NULL) {
        return NULL;
    }
    m->spinning = false;
    if (os_signal_stack_install(&m->signal_stack) != 0) {
        m_discard(m);
        return NULL;
    }
    m_enter(m);
    return m;
}

void rt_thread_dismiss(struct rt_m *m) {
    arch_self_set(NULL);
    os_timer_slack_restore(m->timer_slack_ns);
    os_signal_stack_remove(m->signal_stack);
    m_discard(m);
}

static uint32_t linked_threads(void) {
    uint32_t n = 0;
    rt_lock(&rt_sched.lifecycle);
    for (struct rt_m *m = rt_sched.all_m; m != NULL; m = m->all_next) {
        n++;
    }
    rt_unlock(&rt_sched.lifecycle);
    return n;
}

/* True if m's goroutine has used up its grace, or waits in the kernel: it will not come
   soon. A thread that merely has to wait for a CPU is neither, for however long that
   takes on a busy machine. The main goroutine has returned, and is on its way out
   wherever it is. */
static bool is_stuck(struct rt_m *m) {
    int number = rt_load_rlx(&m->number); /* relaxed: a number; likewise rt_m_g() */
    struct rt_g *g = rt_m_g(m);
    if (number == 0 || g == &m->g0 || g == rt_sched.main_g) {
        return false;
    }
    struct os_thread_use use = os_thread_look(m->thread, number);
    if (m->first_cpu_ns == 0) {
        m->first_cpu_ns = use.cpu_ns;
    }
    m->looks_asleep += use.asleep;
    m->looks_untold += use.untold;
    return m->looks_asleep >= LOOKS_ASLEEP || m->looks_untold >= LOOKS_UNTOLD ||
           use.cpu_ns - m->first_cpu_ns >= GRACE_CPU_NS;
}

static bool any_is_stuck(void) {
    bool stuck = false;
    rt_lock(&rt_sched.lifecycle);
    for (struct rt_m *m = rt_sched.all_m; m != NULL; m = m->all_next) {
        stuck |= is_stuck(m);
    }
    rt_unlock(&rt_sched.lifecycle);
    return stuck;
}

bool rt_thread_wait_gone(void) {
    int64_t next_look = os_now();
    for (;;) {
        uint32_t gone = rt_load_acq(&rt_sched.gone); /* acquire: pairs with m_main() */
        if (gone == linked_threads()) {
            return true;
        }
        if (os_now() >= next_look) {
            if (any_is_stuck()) {
                return false;
            }
            next_look = os_now() + LOOK_NS;
        }
        os_futex_wait(&rt_sched.gone, gone, next_look); /* woken by each M that leaves */
    }
}

void rt_thread_join_all(void) {
    while (rt_sched.all_m != NULL) {
        struct rt_m *m = rt_sched.all_m;
        rt_sched.all_m = m->all_next;
        os_thread_join(m->thread);
        m_discard(m);
    }
}

void rt_thread_detach_all(void) {
    for (struct rt_m *m = rt_sched.all_m; m != NULL; m = m->all_next) {
        os_thread_detach(m->thread);
    }
}
