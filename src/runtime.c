/* SPDX-License-Identifier: MIT */
/* The life of the runtime: configure, start, run, stop. */
#include "base/alloc.h"
#include "base/race.h"
#include "base/bits.h"
#include "base/die.h"
#include "base/fence.h"
#include "ctx/ctx.h"
#include "net/fd.h"
#include "net/lookup.h"
#include "sched/netpoll/polldesc.h"
#include "sched/thread/lockedm.h"
#include "debug/dump.h"
#include "sched/syscall/enter.h"
#include "sched/thread/fork.h"
#include "sched/globq.h"
#include "sched/thread/wakep.h"
#include "sched/findrunnable.h"
#include "sched/sysmon/sysmon.h"
#include "debug/mutexcheck.h"
#include "debug/overflow.h"
#include "sched/park.h"
#include "sched/netpoll/netpoll.h"
#include "sched/sysmon/preempt.h"
#include "sched/procresize.h"
#include "sched/deadlock.h"
#include "sched/sched.h"
#include "sched/thread/startm.h"
#include "sched/spawn.h"
#include "sched/starved.h"
#include "sched/thread/newm.h"
#include "sched/thread/thread.h"
#include "sched/timers.h"

#include <errno.h>
#include <tuco.h>

/* The settings of tuco_configure(). Guarded by changing: the winner of change_begin(). */
static tuco_config configured;

/* Atomic: 1 while a thread is in tuco_run(), tuco_start(), tuco_stop() or
   tuco_configure(), so that they exclude each other. */
static rt_atomic(uint32_t) changing;

/* The main goroutine's function and argument. Written before that goroutine runs. */
static struct {
    int (*fn)(void *);
    void *arg;
} main_call;

static bool change_begin(void) {
    uint32_t not_changing = 0;
    /* acquire: sees what the last change wrote. Pairs with change_end(). */
    bool begun = rt_cas_acqrel(&changing, &not_changing, 1);
    if (begun) {
        rt_race_acquire(&configured);
    }
    return begun;
}

static void change_end(void) {
    rt_race_release(&configured); /* orders a run after tuco_configure() */
    rt_store_rel(&changing, 0);   /* release: publishes it. Pairs with change_begin(). */
}

static void phase_set(enum rt_phase phase) {
    rt_lock(&rt_sched.lifecycle);
    /* release: publishes the set-up before it. Pairs with the acquire in
       rt_phase_now(). */
    rt_swap_sc(&rt_sched.phase, (uint32_t)phase);
    rt_unlock(&rt_sched.lifecycle);
}

/* Start and stop, as two columns of calls that mirror each other. */

static void reset_counts(void) {
    /* relaxed: no other thread uses them yet; published with the phase. */
    rt_store_rlx(&rt_sched.threads, 0);
    rt_store_rlx(&rt_sched.max_threads, rt_sched.config.max_threads);
    rt_store_rlx(&rt_sched.detached, 0);
    rt_store_rlx(&rt_sched.gone, 0);
    rt_store_rlx(&rt_sched.starved, 0);
    /* the same id without a main goroutine */
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

static int runtime_set_up(bool has_main) {
    int error = rt_config_load(&rt_sched.config, &configured);
    if (error != 0) {
        return error;
    }
    uint32_t procs = (uint32_t)rt_sched.config.procs;
    rt_store_rlx(&rt_sched.has_main, has_main); /* relaxed: published with the phase */
    rt_sched.started_ns = os_now();
    rt_die_report = rt_dump_current;
    rt_die_crashes = rt_sched.config.debug.crash;
    reset_counts();
    rt_thread_prepare(); /* before any thread starts */
    choose_guard();
    rt_fence_choose((int)procs, !rt_sched.config.debug.plain_fence);
    rt_pidle_init(procs);
    rt_mutexcheck_start(rt_sched.config.debug.mutexcheck);
    rt_switch_watched = rt_mutexcheck_take != NULL || rt_exceptions_exist();
    rt_midle_reset();
    rt_deadlock_reset();
    rt_lockedm_reset();
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
    if ((error = rt_newm_start()) != 0) {
        goto fail_starter;
    }
    if ((error = rt_sysmon_start()) != 0) {
        goto fail_sysmon;
    }
    return 0;

fail_sysmon:
    rt_newm_stop();
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

/* No goroutine and no M uses the runtime any more; foreign threads are kept out until this
   is done. Foreign threads that wait for each other keep their descriptors; the next stop
   frees those. */
static void tear_down(void) {
    rt_lookup_settle();
    rt_foreign_close();
    rt_sysmon_stop();
    rt_newm_stop();
    rt_preempt_stop();
    rt_overflow_unwatch();
    rt_thread_free_all();
    rt_netpoll_end(true /* no thread uses it any more */);
    uint32_t made = rt_sched_made();
    for (uint32_t i = 0; i < made; i++) {
        rt_p_flush_caches(&rt_sched.ps[i]);
    }
    rt_procs_free();
    rt_stack_free_all();
    if (rt_foreign_none_inside()) {
        rt_gpool_free_all();
    }
    rt_globq_reset();
    rt_free_listed();
    rt_starved_reset();
    rt_topology_free(&rt_sched.topology);
    phase_set(RT_STOPPED);
    rt_foreign_open();
    rt_polldesc_trim();
}

/* From here on no M takes another goroutine, and every sleeping M wakes and exits. */
static void release_all(void) {
    rt_sched_ask_attention(RT_ATTENTION_STOP);
    rt_pidle_release_all();
    rt_midle_release_all();
    rt_lockedm_release_all();
    rt_fd_release_closers();
}

/* tuco_run */

/* Runs as the main goroutine. When it returns, no other goroutine is scheduled any
   more. */
static void main_goroutine(void *unused) {
    (void)unused;
    int result = main_call.fn(main_call.arg);
    rt_defer_run_all(rt_m_g(arch_self()));
    tuco_preempt_off(); /* a goroutine that yields from here on is not resumed */
    rt_enter();
    rt_sched.main_result = result;
    phase_set(RT_STOPPING);
    release_all();
    rt_leave();
}

/* The main goroutine has returned and this thread has left the scheduler. Goroutines that
   are computing get a little time to exit or to reach their next call: most are close to
   it. */
static void finish_run(void) {
    /* Here too: the thread that main returned on may be waiting for a CPU. */
    release_all();
    bool all_left = rt_thread_wait_gone();
    rt_newm_stop(); /* the starter has no thread left to start */
    rt_thread_join_ended();
    if (all_left) {
        rt_thread_join_all();
    } else {
        rt_thread_detach_all();
    }
    if (all_left && rt_sched_live() == 0) {
        tear_down();
    } else {
        rt_sysmon_stop();
        rt_netpoll_end(false /* a goroutine that computes may still use it */);
        phase_set(RT_ABANDONED);
    }
}

/* Does all that can fail, before any other thread can use the runtime. */
static int prepare_run(struct rt_m **m, struct rt_g **g) {
    int error = runtime_set_up(true);
    if (error != 0) {
        return error;
    }
    rt_pidle_take_first();
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
    rt_spawn_check(main_fn != NULL);
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
        rt_schedule(m, rt_sched.main_g);
        rt_thread_dismiss(m);
        finish_run();
        result = rt_sched.main_result;
        rt_race_acquire(&rt_sched);
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
    int error = rt_phase_now() != RT_STOPPED ? -EBUSY : runtime_set_up(false);
    if (error == 0) {
        rt_pidle_take_first();
        /* The thread starts as a spinning M. sc: as every change of the idle word. */
        rt_add_sc(&rt_pidle.word, RT_PIDLE_SPIN_ONE);
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

static int runtime_stop(tuco_time deadline) {
    for (;;) {
        if (!rt_deadlock_wait(deadline)) {
            return -ETIMEDOUT;
        }
        rt_foreign_close(); /* no foreign thread starts a goroutine from here on */
        if (rt_sched_live() == 0) {
            break;
        }
        rt_foreign_open(); /* a foreign thread started a goroutine before: let it run */
    }
    phase_set(RT_STOPPING);
    /* No thread starts a goroutine in this phase. Exiting threads may call the library
       from destructors of the program. */
    rt_foreign_open();
    release_all();
    rt_newm_stop(); /* from here on no thread is being started */
    rt_thread_join_ended();
    rt_thread_join_all();
    tear_down();
    rt_race_acquire(&rt_sched);
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
    int r = rt_phase_now() == RT_RUNNING ? runtime_stop(deadline) : -EINVAL;
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

/* Information */

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
