/* SPDX-License-Identifier: MIT */
/* Ms: threads of the runtime, from start to end. */
#include "sched/thread.h"
#include "base/alloc.h"
#include "base/die.h"
#include "sched/dump.h"
#include "sched/enter.h"
#include "sched/loop.h"
#include "sched/monitor.h"
#include "sched/preempt.h"
#include "sched/sanitize.h"
#include "sched/sched.h"
#include "sched/spare.h"
#include "sched/starter.h"

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

/* How often a thread asks for its alternate signal stack before it does without, and how
   long it waits in between. */
#define SIGNAL_STACK_TRIES 10
#define SIGNAL_STACK_NS    ((int64_t)1000 * 1000)

/* Counts the thread against max_threads. */
static bool reserve_thread(void) {
    /* relaxed: the compare-and-swap decides */
    uint32_t n = rt_load_rlx(&rt_sched.threads);
    do {
        if (n >= (uint32_t)rt_load_rlx(&rt_sched.max_threads)) { /* relaxed: a limit */
            return false;
        }
        /* acq_rel: stronger than needed */
    } while (!rt_cas_acqrel(&rt_sched.threads, &n, n + 1));
    return true;
}

/* Memory that was an M stays one until the runtime ends: others may hold a pointer to it.
   Such a one is as m_bury_locked() has left it: what m_make() and the thread do not set is
   zero, but for the count of calls that block, of which only changes matter. */
static struct rt_m *m_alloc(void) {
    rt_lock(&rt_sched.lifecycle);
    struct rt_m *m = rt_sched.dead_m;
    uint32_t id = rt_sched.next_m++;
    if (m != NULL) {
        rt_sched.dead_m = m->all_next;
    }
    rt_unlock(&rt_sched.lifecycle);
    if (m == NULL && (m = rt_alloc_lines(sizeof *m)) == NULL) {
        return NULL;
    }
    m->id = id;
    return m;
}

/* The thread has been counted; if there is no memory, no longer. */
static struct rt_m *m_make(struct rt_p *p) {
    struct rt_m *m = m_alloc();
    if (m == NULL) {
        rt_sub_rlx(&rt_sched.threads, 1); /* relaxed: a count */
        return NULL;
    }
    m->p = p;
    rt_m_set_g(m, &m->g0);
    m->rand.state = ((uint64_t)m->id << 32) ^ (uint64_t)os_now();
    m->spinning = p != NULL; /* counted by whoever claimed p */
    m->g0.stack = &m->stack;
    rt_init(&m->g0.slot.state, RT_G_RUNNING);
    /* relaxed: nobody else looks yet. It is inside until its first goroutine begins. */
    rt_store_rlx(&m->inside, 1);
    rt_preempt_reset(m, rt_enter_asked_at_start());
    if (p != NULL) {
        /* release: publishes the M. Pairs with look_at() in retake.c */
        rt_store_rel(&p->m, m);
    }
    return m;
}

/* It has not run, or has ended, and is in no list: for who needs the next one. */
static void m_bury_locked(struct rt_m *m) {
    rt_assert_held(&rt_sched.lifecycle);
    m->p = NULL;
    m->to_run = NULL;
    m->locked_g = NULL;
    m->locks = 0;
    m->ends = false;
    m->adopted = false;
    m->gave_up_ns = 0;
    m->migrate_tries = 0;
    m->oversleep_ns = 0;
    m->stack.size_log2 = 0;
    m->first_cpu_ns = 0;
    m->looks_asleep = 0;
    m->looks_untold = 0;
    rt_store_rlx(&m->interruptible, false); /* relaxed: a hint */
    rt_store_rlx(&m->number, 0);            /* relaxed: published by the next line */
    rt_preempt_reset(m, 0); /* who asks from here on finds the number gone */
    m->all_next = rt_sched.dead_m;
    rt_sched.dead_m = m;
    rt_sub_rlx(&rt_sched.threads, 1); /* relaxed: a count */
}

static void m_discard(struct rt_m *m) {
    if (m->p != NULL) {
        rt_store_rlx(&m->p->m, NULL); /* relaxed: likewise */
    }
    rt_lock(&rt_sched.lifecycle);
    m_bury_locked(m);
    rt_unlock(&rt_sched.lifecycle);
}

static void unlink_locked(struct rt_m *m) {
    struct rt_m **link = &rt_sched.all_m;
    while (*link != m) {
        link = &(*link)->all_next;
    }
    *link = m->all_next;
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
    m->thread = os_thread_self();
    /* release: who it is. Pairs with rt_thread_detach_all(); for others a number. */
    rt_store_rel(&m->number, os_thread_number());
    m->errno_address = os_errno_address();
    m->timer_slack_ns = os_timer_slack_remove(); /* it sleeps until timers are due */
    rt_san_thread(&m->g0);
    arch_self_set(m);
    if (m->p != NULL) {
        rt_store_rlx(&m->p->cpu, os_cpu_current()); /* relaxed: a hint */
    }
}

/* The thread ends. If it does before the runtime, the starter joins it, or whoever ends the
   runtime. False: the runtime is about to end, and waits for it as for all others. */
static bool m_end(struct rt_m *m, bool early) {
    rt_lock(&rt_sched.lifecycle);
    bool running = early && rt_phase_now() == RT_RUNNING;
    /* release: as in m_enter(). Under the lock, which rt_preempt_force() has when it sends a
       signal. */
    rt_store_rel(&m->number, RT_M_ENDED);
    if (running) {
        unlink_locked(m);
        m->all_next = rt_sched.ended_m;
        rt_sched.ended_m = m;
    }
    rt_unlock(&rt_sched.lifecycle);
    if (running) {
        rt_starter_wake();
    }
    return running;
}

void rt_thread_join_ended(void) {
    struct rt_m *m;
    do {
        rt_lock(&rt_sched.lifecycle);
        m = rt_sched.ended_m;
        if (m != NULL) {
            rt_sched.ended_m = m->all_next;
        }
        rt_unlock(&rt_sched.lifecycle);
        if (m != NULL) {
            os_thread_join(m->thread);
            m_discard(m);
        }
    } while (m != NULL);
}

void rt_thread_try_join_ended(void) {
    rt_lock(&rt_sched.lifecycle);
    struct rt_m *m = rt_sched.ended_m;
    rt_sched.ended_m = NULL;
    rt_unlock(&rt_sched.lifecycle);
    while (m != NULL) {
        struct rt_m *next = m->all_next;
        if (os_thread_try_join(m->thread)) {
            m_discard(m);
        } else {
            rt_lock(&rt_sched.lifecycle);
            m->all_next = rt_sched.ended_m;
            rt_sched.ended_m = m;
            rt_unlock(&rt_sched.lifecycle);
        }
        m = next;
    }
}

bool rt_thread_any_ended(void) {
    rt_lock(&rt_sched.lifecycle);
    bool any = rt_sched.ended_m != NULL;
    rt_unlock(&rt_sched.lifecycle);
    return any;
}

/* Without it an overflow still ends the process, but without a report, and goroutines here
   are not made to give way: the signal would come on their stacks. So it waits a little for
   memory, before it has anything to do. False: there is none. */
static bool get_signal_stack(struct rt_m *m) {
    rt_atomic(uint32_t) nobody = 0;
    int tries = SIGNAL_STACK_TRIES;
    int error;
    while ((error = os_signal_stack_install(&m->signal_stack)) != 0 && --tries > 0) {
        os_futex_wait(&nobody, 0, os_now() + SIGNAL_STACK_NS);
    }
    rt_store_rlx(&m->interruptible, error == 0); /* relaxed: a hint until it is seen */
    return error == 0;
}

static void m_main(void *raw) {
    struct rt_m *m = raw;
    m_enter(m);
    bool has_signal_stack = get_signal_stack(m);
    if (m->p != NULL || rt_spare_begin(m)) {
        rt_store_rlx(&m->p->cpu, os_cpu_current()); /* relaxed: a hint */
        rt_monitor_poke();
    }
    bool early = rt_loop(m, NULL);
    if (has_signal_stack) {
        os_signal_stack_remove(m->signal_stack);
    }
    arch_self_set(NULL);
    if (m_end(m, early)) {
        return;
    }
    /* release: all that was done on this thread. Pairs with the acquire in
       rt_thread_wait_gone(). */
    rt_add_acqrel(&rt_sched.gone, 1);
    os_futex_wake(&rt_sched.gone, 1);
}

/* Linked before it is started, unless the runtime is ending: so whoever ends it finds all
   threads that there are, and waits for one that has not begun. The lock is not held while
   the thread is started: that may wait for a lock of the C library, see starter.c. */
static bool link_if(struct rt_m *m, enum rt_phase wanted) {
    rt_lock(&rt_sched.lifecycle);
    bool linked = rt_phase_now() == wanted;
    if (linked) {
        m->all_next = rt_sched.all_m;
        rt_sched.all_m = m;
    }
    rt_unlock(&rt_sched.lifecycle);
    return linked;
}

static int start_in(struct rt_p *p, enum rt_phase wanted) {
    os_thread unused; /* the thread says itself who it is: others need it at once */
    if (!reserve_thread()) {
        return -EUSERS;
    }
    struct rt_m *m = m_make(p);
    if (m == NULL) {
        return -EAGAIN;
    }
    if (!link_if(m, wanted)) {
        m_discard(m);
        return -ECANCELED;
    }
    int error = os_thread_start(&unused, "tuco", m_main, m);
    if (error != 0) {
        rt_lock(&rt_sched.lifecycle);
        unlink_locked(m);
        m_bury_locked(m);
        rt_unlock(&rt_sched.lifecycle);
    }
    return error;
}

int rt_thread_start(void) {
    return start_in(NULL, RT_RUNNING);
}

int rt_thread_start_first(struct rt_p *p) {
    return start_in(p, RT_STOPPED);
}

struct rt_m *rt_thread_adopt(struct rt_p *p) {
    struct rt_m *m = reserve_thread() ? m_make(p) : NULL;
    if (m == NULL) {
        return NULL;
    }
    m->spinning = false;
    m->adopted = true;
    if (os_signal_stack_install(&m->signal_stack) != 0) {
        m_discard(m);
        return NULL;
    }
    rt_store_rlx(&m->interruptible, true); /* relaxed: as in m_main() */
    m_enter(m);
    rt_lock(&rt_sched.lifecycle);
    rt_sched.adopted_m = m;
    rt_unlock(&rt_sched.lifecycle);
    return m;
}

void rt_thread_dismiss(struct rt_m *m) {
    rt_lock(&rt_sched.lifecycle);
    rt_sched.adopted_m = NULL;
    rt_unlock(&rt_sched.lifecycle);
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
    if (number < 1 || g == &m->g0 || g == rt_sched.main_g) {
        return false;
    }
    if (rt_load_rlx(&m->stepped_aside)) { /* relaxed: it does not come any more */
        return true;
    }
    struct os_thread_use use = os_thread_look(number);
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

/* It has been started, and says who it is when it begins. */
static void await_beginning(struct rt_m *m) {
    /* acquire: pairs with m_enter(). */
    while (rt_load_acq(&m->number) == 0) {
        os_thread_yield();
    }
}

void rt_thread_join_all(void) {
    while (rt_sched.all_m != NULL) {
        struct rt_m *m = rt_sched.all_m;
        rt_sched.all_m = m->all_next;
        await_beginning(m);
        os_thread_join(m->thread);
        m_discard(m);
    }
}

void rt_thread_free_all(void) {
    while (rt_sched.dead_m != NULL) {
        struct rt_m *m = rt_sched.dead_m;
        rt_sched.dead_m = m->all_next;
        rt_free(m);
    }
    rt_sched.next_m = 0;
}

void rt_thread_detach_all(void) {
    for (struct rt_m *m = rt_sched.all_m; m != NULL; m = m->all_next) {
        await_beginning(m);
        os_thread_detach(m->thread);
    }
}

void rt_thread_exhausted(void) {
    rt_die_begin();
    rt_print("runtime: program exceeds %d-thread limit\n",
             rt_load_rlx(&rt_sched.max_threads)); /* relaxed: a limit */
    rt_print("fatal error: thread exhaustion\n\n");
    rt_dump_await_names();
    rt_dump_goroutines(2 /* standard error */);
    os_exit(RT_EXIT_STATUS);
}

int tuco_set_max_threads(int n) {
    /* relaxed, all: a limit, looked at when the next thread is started */
    int before = rt_load_rlx(&rt_sched.max_threads);
    if (n >= 1) {
        int least = (int)rt_load_rlx(&rt_sched.threads);
        rt_store_rlx(&rt_sched.max_threads, n > least ? n : least);
    }
    return before;
}
