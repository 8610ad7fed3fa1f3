/* SPDX-License-Identifier: MIT */
/* The life of the runtime: configure, start, run, stop. */
#include "base/alloc.h"
#include "base/bits.h"
#include "base/die.h"
#include "base/fence.h"
#include "ctx/ctx.h"
#include "net/lookup.h"
#include "net/polldesc.h"
#include "sched/bound.h"
#include "sched/crowd.h"
#include "sched/dump.h"
#include "sched/enter.h"
#include "sched/fork.h"
#include "sched/globq.h"
#include "sched/idle.h"
#include "sched/loop.h"
#include "sched/monitor.h"
#include "sched/mutexcheck.h"
#include "sched/overflow.h"
#include "sched/poll.h"
#include "sched/preempt.h"
#include "sched/procs.h"
#include "sched/quiesce.h"
#include "sched/sched.h"
#include "sched/spare.h"
#include "sched/spawn.h"
#include "sched/starter.h"
#include "sched/thread.h"
#include "time/timer.h"

#include <errno.h>
#include <tuco.h>

/* What tuco_configure() left. Whoever has won change_begin(). */
static tuco_config configured;

/* Atomic: who is in tuco_run(), tuco_start() or tuco_stop(), so that none overtakes
   another. */
static rt_atomic(uint32_t) changing;

/* The main goroutine's function and argument. Written before it is made. */
static struct {
    int (*fn)(void *);
    void *arg;
} main_call;

static bool change_begin(void) {
    uint32_t nobody = 0;
    return rt_cas_acqrel(&changing, &nobody, 1); /* acquire: pairs with change_end() */
}

static void change_end(void) {
    rt_store_rel(&changing, 0); /* release: pairs with change_begin() */
}

static void phase_set(enum rt_phase phase) {
    rt_lock(&rt_sched.lifecycle);
    /* release: what was set up before is seen. Pairs with rt_phase_now(). */
    rt_swap_sc(&rt_sched.phase, (uint32_t)phase);
    rt_unlock(&rt_sched.lifecycle);
}

/* Start and end, as two columns of calls, one the other's mirror. */

static void reset_counts(void) {
    /* relaxed: nobody else yet. */
    rt_store_rlx(&rt_sched.threads, 0);
    rt_store_rlx(&rt_sched.max_threads, rt_sched.config.max_threads);
    rt_store_rlx(&rt_sched.away, 0);
    rt_store_rlx(&rt_sched.gone, 0);
    rt_store_rlx(&rt_sched.starved, 0);
    /* also where there is no main goroutine */
    rt_store_rlx(&rt_sched.next_id, RT_MAIN_ID + 1);
    rt_store_rlx(&rt_sched.foreign_spawned, 0);
    rt_store_rlx(&rt_sched.main_exited, 0);
}

static void choose_guard(void) {
    const struct rt_config *c = &rt_sched.config;
    enum rt_stack_guard guard = c->guard;
    if (!c->guard_chosen || guard == RT_GUARD_ADVISE) {
        guard = os_guard_works() ? RT_GUARD_ADVISE : RT_GUARD_PROTECT;
    }
    if (c->guard_chosen && guard != c->guard) {
        rt_print(
            "tuco: TUCOGUARD=madvise: this kernel has no guard regions (Linux 6.13 has); "
            "using mprotect\n");
    }
    rt_stack_configure(rt_log2_up(c->stack_bytes), guard);
}

static int set_up(bool has_main) {
    int error = rt_config_load(&rt_sched.config, &configured);
    if (error != 0) {
        return error;
    }
    uint32_t procs = (uint32_t)rt_sched.config.procs;
    rt_store_rlx(&rt_sched.has_main, has_main); /* relaxed: published with the phase */
    rt_sched.started_ns = os_now();
    rt_die_report = rt_dump_current;
    reset_counts();
    os_signal_mask_remember(); /* before any thread: all get the mask of this one */
    os_cpus_learn();
    choose_guard();
    rt_fence_choose((int)procs, !rt_sched.config.debug.plain_fence);
    rt_idle_init(procs);
    rt_crowd_init();
    rt_mutexcheck_start(rt_sched.config.debug.mutexcheck);
    rt_spare_reset();
    rt_bound_reset();
    if ((error = rt_topology_load(&rt_sched.topology, rt_sched.config.topology_dir)) !=
        0) {
        return error;
    }
    if ((error = rt_procs_make(procs, !rt_sched.config.procs_chosen)) != 0) {
        goto fail_ps;
    }
    if ((error = rt_fork_start()) != 0) {
        goto fail_watch;
    }
    if ((error = rt_overflow_watch()) != 0) {
        goto fail_watch;
    }
    if ((error = rt_preempt_start()) != 0) {
        goto fail_preempt;
    }
    if ((error = rt_starter_start()) != 0) {
        goto fail_starter;
    }
    if ((error = rt_monitor_start()) != 0) {
        goto fail_monitor;
    }
    return 0;

fail_monitor:
    rt_starter_stop();
fail_starter:
    rt_preempt_stop();
fail_preempt:
    rt_overflow_unwatch();
fail_watch:
    rt_procs_free();
fail_ps:
    rt_topology_free(&rt_sched.topology);
    return error;
}

/* No goroutine and no M uses anything of this any more; foreign threads are kept out
   until it is done. Those that wait, for each other, keep their descriptors, which are
   then freed by the next end of the runtime. */
static void tear_down(void) {
    rt_lookup_settle();
    rt_foreign_close();
    rt_monitor_stop();
    rt_starter_stop();
    rt_preempt_stop();
    rt_overflow_unwatch();
    rt_thread_free_all();
    rt_poll_end(true /* nobody is left */);
    uint32_t made = rt_sched_made();
    for (uint32_t i = 0; i < made; i++) {
        rt_p_flush_caches(&rt_sched.ps[i]);
    }
    rt_procs_free();
    rt_stack_free_all();
    if (rt_foreign_nobody()) {
        rt_gpool_free_all();
    }
    rt_globq_reset();
    rt_free_listed();
    rt_spawn_reset();
    rt_topology_free(&rt_sched.topology);
    phase_set(RT_STOPPED);
    rt_foreign_open();
    rt_polldesc_trim();
}

/* Nobody takes another goroutine from here on, and all who wait for one leave. */
static void release_all(void) {
    rt_sched_ask_attention(RT_ATTENTION_STOP);
    rt_idle_release_all();
    rt_spare_release_all();
    rt_bound_release_all();
}

/* tuco_run */

/* Runs as the main goroutine. When it is through, the others run no more. */
static void main_goroutine(void *unused) {
    (void)unused;
    int result = main_call.fn(main_call.arg);
    rt_defer_run_all(rt_m_g(arch_self()));
    tuco_preempt_off(); /* who yields from here on is not resumed any more */
    rt_enter();
    rt_sched.main_result = result;
    phase_set(RT_STOPPING);
    release_all();
    rt_leave();
}

/* The main goroutine has returned and this thread has left the scheduler. Goroutines that
   compute at this moment are given a little time to come to their end or to their next
   call: most often they are about to. */
static void finish_run(void) {
    /* Here too: the thread that main returned on may have to wait for a CPU. */
    release_all();
    bool all_left = rt_thread_wait_gone();
    rt_starter_stop(); /* it has no thread on the way any more */
    rt_thread_join_ended();
    if (all_left) {
        rt_thread_join_all();
    } else {
        rt_thread_detach_all();
    }
    if (all_left && rt_sched_live() == 0) {
        tear_down();
    } else {
        rt_monitor_stop();
        rt_poll_end(false /* who computes may come to use it */);
        phase_set(RT_ABANDONED);
    }
}

/* All that can fail, before anybody else can use the runtime. */
static int prepare_run(struct rt_m **m, struct rt_g **g) {
    int error = set_up(true);
    if (error != 0) {
        return error;
    }
    rt_idle_take_first();
    *m = rt_thread_adopt(&rt_sched.ps[0]);
    *g = *m != NULL ? rt_spawn_main(&rt_sched.ps[0], main_goroutine, NULL) : NULL;
    if (*g != NULL) {
        return 0;
    }
    if (*m != NULL) {
        rt_thread_dismiss(*m);
    }
    tear_down();
    return -ENOMEM;
}

int tuco_run(int (*main_fn)(void *), void *arg) {
    struct rt_m *m;
    rt_fork_check();
    if (rt_phase_now() != RT_STOPPED || !change_begin()) {
        return -EBUSY;
    }
    int result =
        rt_phase_now() != RT_STOPPED ? -EBUSY : prepare_run(&m, &rt_sched.main_g);
    if (result == 0) {
        main_call.fn = main_fn;
        main_call.arg = arg;
        phase_set(RT_RUNNING);
        rt_ctx_watch_deadlines();
        rt_loop(m, rt_sched.main_g);
        rt_thread_dismiss(m);
        finish_run();
        result = rt_sched.main_result;
    }
    change_end();
    return result;
}

/* tuco_start, tuco_stop */

int tuco_start(void) {
    rt_fork_check();
    if (rt_phase_now() != RT_STOPPED || !change_begin()) {
        return -EBUSY;
    }
    int error = rt_phase_now() != RT_STOPPED ? -EBUSY : set_up(false);
    if (error == 0) {
        rt_idle_take_first();
        rt_add_sc(&rt_idle.word, RT_IDLE_SPIN_ONE); /* the thread starts as a searcher */
        error = rt_thread_start_first(&rt_sched.ps[0]);
        if (error != 0) {
            tear_down();
        } else {
            phase_set(RT_RUNNING);
            rt_ctx_watch_deadlines();
        }
    }
    change_end();
    return error;
}

static int stop(tuco_time deadline) {
    for (;;) {
        if (!rt_quiesce_wait(deadline)) {
            return -ETIMEDOUT;
        }
        rt_foreign_close(); /* no foreign thread starts anything from here on */
        if (rt_sched_live() == 0) {
            break;
        }
        rt_foreign_open(); /* one came in between: it wants to run */
    }
    phase_set(RT_STOPPING);
    /* Nobody starts anything now, and threads that end may call the library from what the
       program has left to do there. */
    rt_foreign_open();
    release_all();
    rt_starter_stop(); /* from here on no thread is on the way */
    rt_thread_join_ended();
    rt_thread_join_all();
    tear_down();
    return 0;
}

int tuco_stop(tuco_time deadline) {
    if (arch_self() != NULL) {
        return -EDEADLK;
    }
    rt_fork_check();
    if (!change_begin()) {
        return -EBUSY;
    }
    int r = rt_phase_now() == RT_RUNNING ? stop(deadline) : -EINVAL;
    change_end();
    return r;
}

int tuco_configure(const tuco_config *config) {
    static const tuco_config defaults;
    if (config == NULL) {
        config = &defaults;
    }
    int error = rt_config_check(config);
    if (error != 0) {
        return error;
    }
    if (!change_begin()) {
        return -EBUSY;
    }
    error = rt_phase_now() == RT_STOPPED ? 0 : -EBUSY;
    if (error == 0) {
        configured = *config;
    }
    change_end();
    return error;
}

/* Facts */

size_t tuco_count(void) {
    rt_enter();
    size_t live = rt_phase_now() == RT_STOPPED ? 0 : (size_t)rt_sched_live();
    rt_leave();
    return live;
}

int tuco_cpus(void) {
    return os_cpu_count();
}

const char *tuco_version(void) {
    return TUCO_VERSION_STRING;
}
