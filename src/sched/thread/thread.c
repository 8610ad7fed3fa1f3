/* SPDX-License-Identifier: MIT */
/* Ms: threads of the runtime, from start to end. */
#include "sched/thread/thread.h"
#include "base/alloc.h"
#include "base/die.h"
#include "debug/dump.h"
#include "sched/syscall/enter.h"
#include "sched/park.h"
#include "sched/findrunnable.h"
#include "sched/sysmon/sysmonnote.h"
#include "sched/sysmon/preempt.h"
#include "debug/sanitize.h"
#include "sched/sched.h"
#include "sched/thread/startm.h"
#include "sched/thread/newmhandoff.h"
#include "sched/tuning.h"

#include <errno.h>

/* When the runtime ends, a goroutine that still runs gets RT_GRACE_CPU_NS of CPU time, and
   RT_GRACE_NS in all, to end or to call the library. It is given up earlier if its thread
   has used no CPU time at LOOKS_STILL looks, which are RT_GRACE_LOOK_NS apart. A thread
   that uses no CPU time sleeps in the kernel, or waits for a CPU. tuco_run() is to return
   within 100 ms, whatever goroutines do. A thread inside the runtime always comes back, so
   it is waited for. */
#define LOOKS_STILL 5

/* How often a thread tries to get an alternate signal stack before it does without. */
#define SIGNAL_STACK_TRIES 10

/* Counts one more thread. False: there are max_threads. */
static bool reserve_thread(void) {
    /* relaxed: the compare-and-swap decides */
    uint32_t n = rt_load_rlx(&rt_sched.threads);
    do {
        if (n >= (uint32_t)rt_load_rlx(&rt_sched.max_threads)) { /* relaxed: a limit */
            return false;
        }
        /* acq_rel: atomic; publishes nothing */
    } while (!rt_cas_acqrel(&rt_sched.threads, &n, n + 1));
    return true;
}

/* The memory of an M stays one until the runtime ends: other threads may hold a pointer
   to it. A reused M is as m_bury_locked() left it: what m_make() and the thread do not
   set is zero, except blocks, where only changes matter. */
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

/* The caller has counted the thread; without memory it is counted down again. */
static struct rt_m *m_make(struct rt_p *p) {
    struct rt_m *m = m_alloc();
    if (m == NULL) {
        rt_sub_rlx(&rt_sched.threads, 1); /* relaxed: a count */
        return NULL;
    }
    rt_m_set_g(m, &m->g0);
    m->rand.state = ((uint64_t)m->id << 32) ^ (uint64_t)os_now();
    m->spinning = p != NULL; /* counted by the thread that claimed p */
    m->g0.stack = &m->stack;
    m->g0.stack_low = rt_switch_low(NULL);
    rt_init(&m->g0.slot.state, RT_G_RUNNING);
    /* relaxed: no other thread looks yet. The M is inside until its first goroutine
       begins. */
    rt_store_rlx(&m->inside, 1);
    rt_preempt_reset(m, rt_enter_asked_at_start());
    if (p != NULL) {
        rt_acquirep(m, p);
    }
    return m;
}

/* m has not run, or has ended, and is in no list: keeps its memory for reuse. */
static void m_bury_locked(struct rt_m *m) {
    rt_assert_held(&rt_sched.lifecycle);
    (void)rt_releasep(m);
    m->to_run = NULL;
    m->locked_g = NULL;
    m->locks = 0;
    m->ends = false;
    m->adopted = false;
    m->main_only = false;
    m->gave_up_ns = 0;
    m->migrate_tries = 0;
    m->oversleep_ns = 0;
    m->stack.size_log2 = 0;
    m->first_cpu_ns = 0;
    m->last_cpu_ns = 0;
    m->looks_still = 0;
    rt_store_rlx(&m->interruptible, false); /* relaxed: a hint */
    rt_store_rlx(&m->number, 0);            /* relaxed: published by the next line */
    rt_preempt_reset(m, 0); /* a later rt_preempt_ask() finds the number gone */
    m->all_next = rt_sched.dead_m;
    rt_sched.dead_m = m;
    rt_sub_rlx(&rt_sched.threads, 1); /* relaxed: a count */
}

static void m_discard(struct rt_m *m) {
    rt_lock(&rt_sched.lifecycle);
    m_bury_locked(m);
    rt_unlock(&rt_sched.lifecycle);
}

static void m_unlink_locked(struct rt_m *m) {
    struct rt_m **link = &rt_sched.all_m;
    while (*link != m) {
        link = &(*link)->all_next;
    }
    *link = m->all_next;
}

/* The part of the set-up that only the thread itself can do. */
static void m_enter(struct rt_m *m) {
    void *low;
    void *high;
    os_thread_stack(&low, &high);
    m->stack.low = low;
    m->stack.top = high;
    /* The sanitizer needs the size as a power of two, which a thread's stack need not
       have. */
    while (((size_t)1 << (m->stack.size_log2 + 1)) <=
           (size_t)((char *)high - (char *)low)) {
        m->stack.size_log2++;
    }
    if (RT_ASAN) {
        m->stack.low = (char *)high - rt_stack_bytes(&m->stack);
    }
    m->thread = os_thread_self();
    /* release: publishes m->thread. Pairs with is_there() in sched.c and with
       await_beginning(). */
    rt_store_rel(&m->number, os_thread_number());
    m->errno_address = os_errno_address();
    m->exceptions = rt_exceptions_of_thread();
    rt_race_expect(m->errno_address, sizeof *m->errno_address);
    /* for timers: it sleeps until they are due */
    m->timer_slack_ns = os_timer_slack_remove();
    rt_san_thread(&m->g0);
    arch_self_set(m);
    os_thread_end_watch(true);
    if (m->p != NULL) {
        rt_store_rlx(&m->p->cpu, os_cpu_current()); /* relaxed: a hint */
    }
    rt_preempt_thread_begin(m);
}

/* The thread ends. True: it ends before the runtime, and the starter joins it, or the end
   of the runtime does. False: the runtime is about to end, and waits for it as for all
   others. */
static bool m_end(struct rt_m *m, bool early) {
    rt_lock(&rt_sched.lifecycle);
    bool running = early && rt_phase_now() == RT_RUNNING;
    /* release: as in m_enter(). Under the lock, which rt_preempt_force() holds when it
       sends a signal. */
    rt_store_rel(&m->number, RT_M_ENDED);
    if (running) {
        m_unlink_locked(m);
        m->all_next = rt_sched.ended_m;
        rt_sched.ended_m = m;
    }
    rt_unlock(&rt_sched.lifecycle);
    if (running) {
        rt_newm_wake();
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

/* Without an alternate stack an overflow still ends the process, but without a report,
   and goroutines on this M are not preempted by signals, which would run on their stacks.
   So the thread waits a little for memory before it has work. False: there is none. */
static bool get_signal_stack(struct rt_m *m) {
    rt_atomic(uint32_t) never_woken = 0;
    int tries = SIGNAL_STACK_TRIES;
    int error;
    while ((error = os_signal_stack_install(&m->signal_stack)) != 0 && --tries > 0) {
        os_futex_wait(&never_woken, 0, os_now() + RT_MEMORY_RETRY_NS);
    }
    rt_store_rlx(&m->interruptible, error == 0); /* relaxed: a hint for sysmon */
    return error == 0;
}

static void m_main(void *raw) {
    struct rt_m *m = raw;
    m_enter(m);
    bool has_signal_stack = get_signal_stack(m);
    if (m->p != NULL || rt_midle_begin(m)) {
        rt_store_rlx(&m->p->cpu, os_cpu_current()); /* relaxed: a hint */
        rt_sysmon_poke();
    }
    bool early = rt_schedule(m, NULL);
    if (has_signal_stack) {
        os_signal_stack_remove(m->signal_stack);
    }
    os_thread_end_watch(false);
    arch_self_set(NULL);
    if (m_end(m, early)) {
        return;
    }
    /* release: all that was done on this thread. Pairs with the acquire in
       rt_thread_wait_gone(). */
    rt_add_acqrel(&rt_sched.gone, 1);
    os_futex_wake(&rt_sched.gone, 1);
}

/* Links m before its thread is started, unless the runtime is ending: so the end of the
   runtime finds all threads, and waits for one that has not begun. The lock is not held
   while the thread is started: that may wait for a C library lock, see newm.c. */
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
    os_thread unused; /* the thread stores it itself: other threads need it at once */
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
        m_unlink_locked(m);
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
    m->main_only = true;
    rt_attention_set(p, RT_ATTENTION_LOCKED); /* it runs no goroutine but main */
    if (os_signal_stack_install(&m->signal_stack) != 0) {
        m_discard(m);
        return NULL;
    }
    rt_store_rlx(&m->interruptible, true); /* relaxed: as in get_signal_stack() */
    m_enter(m);
    rt_lock(&rt_sched.lifecycle);
    rt_sched.adopted_m = m;
    rt_unlock(&rt_sched.lifecycle);
    return m;
}

void rt_thread_dismiss(struct rt_m *m) {
    rt_lock(&rt_sched.lifecycle);
    rt_sched.adopted_m = NULL;
    /* release: as in m_end(). No signal is sent to the thread from here on. */
    rt_store_rel(&m->number, RT_M_ENDED);
    rt_unlock(&rt_sched.lifecycle);
    rt_preempt_thread_end(m);
    os_thread_end_watch(false);
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

/* True if m's goroutine has used up its grace, or sleeps in the kernel. The main
   goroutine has returned, and is on its way out wherever it is. */
static bool is_stuck(struct rt_m *m, bool late) {
    int number = rt_load_rlx(&m->number); /* relaxed, also in rt_m_g(): a hint */
    struct rt_g *g = rt_m_g(m);
    if (number < 1 || g == &m->g0 || g == rt_sched.main_g) {
        return false;
    }
    /* relaxed: it waits in a signal handler for good */
    if (rt_load_rlx(&m->stepped_aside)) {
        return true;
    }
    if (!rt_m_is_outside(m)) { /* it runs no code of the program, and comes back */
        return false;
    }
    int64_t cpu_ns = os_thread_cpu(number);
    if (m->first_cpu_ns == 0) {
        m->first_cpu_ns = cpu_ns;
    }
    m->looks_still += cpu_ns == m->last_cpu_ns;
    m->last_cpu_ns = cpu_ns;
    return late || m->looks_still >= LOOKS_STILL ||
           cpu_ns - m->first_cpu_ns >= RT_GRACE_CPU_NS;
}

static bool any_is_stuck(bool late) {
    bool stuck = false;
    rt_lock(&rt_sched.lifecycle);
    for (struct rt_m *m = rt_sched.all_m; m != NULL; m = m->all_next) {
        stuck |= is_stuck(m, late);
    }
    rt_unlock(&rt_sched.lifecycle);
    return stuck;
}

bool rt_thread_wait_gone(void) {
    int64_t start = os_now();
    int64_t next_look = start;
    for (;;) {
        /* acquire: what that thread did. Pairs with m_main(). */
        uint32_t gone = rt_load_acq(&rt_sched.gone);
        if (gone == linked_threads()) {
            return true;
        }
        if (os_now() >= next_look) {
            if (any_is_stuck(os_now() - start >= RT_GRACE_NS)) {
                return false;
            }
            next_look = os_now() + RT_GRACE_LOOK_NS;
        }
        os_futex_wait(&rt_sched.gone, gone, next_look); /* woken by each M that leaves */
    }
}

/* The thread has been started: waits until it has stored its number. */
static void await_beginning(struct rt_m *m) {
    /* acquire: m->thread. Pairs with m_enter(). */
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

/* The C library has left the stack of the goroutine for that of the thread. */
static void on_thread_end(void) {
    rt_fatal(
        "a goroutine has ended its thread: tuco_exit ends a goroutine; pthread_exit, "
        "thrd_exit and pthread_cancel are for threads of the program");
}

void rt_thread_prepare(void) {
    os_threads_prepare(); /* all threads get the mask of this one */
    os_thread_end_prepare(on_thread_end);
}

void rt_thread_exhausted(void) {
    rt_die_begin();
    /* relaxed: a limit */
    rt_print("runtime: program exceeds %d-thread limit\n",
             rt_load_rlx(&rt_sched.max_threads));
    rt_print("fatal error: thread exhaustion\n\n");
    rt_dump_await_names();
    rt_dump_goroutines(2 /* standard error */);
    rt_die_end();
}

/* relaxed, all: a limit, read when the next thread is started */
static int set_max_threads(int n) {
    int before = rt_load_rlx(&rt_sched.max_threads);
    if (n >= 1) {
        int least = (int)rt_load_rlx(&rt_sched.threads);
        rt_store_rlx(&rt_sched.max_threads, n > least ? n : least);
    }
    return before;
}

int tuco_set_max_threads(int n) {
    rt_enter(); /* inside, the runtime does not end */
    int before = rt_phase_now() == RT_RUNNING ? set_max_threads(n) : 0;
    rt_leave();
    return before;
}
