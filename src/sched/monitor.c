/* SPDX-License-Identifier: MIT */
/* The monitor: a thread without a P that sees to what nobody else comes to. */
#include "sched/monitor.h"
#include "base/alloc.h"
#include "base/wheel.h"
#include "cpu/cpu.h"
#include "sched/dump.h"
#include "sched/find.h"
#include "sched/idle.h"
#include "sched/poll.h"
#include "sched/procs.h"
#include "sched/quiesce.h"
#include "sched/retake.h"
#include "sched/sched.h"
#include "sched/schedtrace.h"
#include "sched/spawn.h"

#include <errno.h>

/*
 * Its duties, each a function below:
 *   - a goroutine is alone in the next slot of a P that computes, or the P keeps some,
 *     while others are idle: somebody is woken to steal it
 *   - descriptors may be ready and nobody looks: see poll.c
 *   - a P has begun no slice for the length of one: its ring gets its turn, see
 *     rt_find_local()
 *   - a thread blocks in the kernel, or a goroutine computes for too long: see retake.c
 *   - a timer of a P that computes is due: somebody is woken to steal it, and the owner
 *     is sent to its timers at its next scheduling
 *   - timers of threads without a P: it fires them itself
 *   - a thread could not be started, or a stack not be had: another try
 *   - the CPUs or the quota of the process have changed: so has the number of Ps, about a
 *     second later, unless somebody has set it
 *   - stacks that a burst left behind: their memory is given back
 *   - stacks in a large burst: some are made ahead
 *   - TUCODEBUG=schedtrace: a line every so often
 *
 * How often. While some Ps are idle and some are busy, between TICK_MIN_NS and
 * TICK_MAX_NS, backing off while nothing is found. While all are busy or all are idle
 * there is nothing to rescue, and it comes every TICK_LONG_NS. When all have been idle
 * for a while, and nothing has to be tried again, it sleeps without a deadline. It never
 * sleeps longer than until its own first timer; for those of busy Ps it comes every
 * TICK_MAX_NS.
 *
 * Dormant.
 *
 *     monitor                            M that has a P again, or has had a failure
 *     [S] dormant := 1                   [S] the idle word (RMW), or the count of starved
 *         fence(sc)                          fence(sc)
 *     [L] are all Ps idle? failures?     [L] dormant
 *
 * One sees the other: either the monitor finds a busy P or a failure and stays awake, or
 * the M wakes it. An M gets a P by being woken, by coming back, or as the first one; each
 * of these pokes.
 *
 * Polling. Where nobody else does, it sleeps in the poller: see poll.c. Who wakes it has
 * to know.
 *
 *     monitor                            who wakes it
 *     [S] polls := true                  [S] the sequence
 *         fence(sc)                          fence(sc)
 *     [L] the sequence                   [L] polls
 *
 * One sees the other: either the monitor does not sleep, or it is woken there. One that
 * is woken there, and has left meanwhile, sees the sequence; then somebody else returns
 * for no reason.
 *
 * A new first timer. ('Wake before')
 *
 *     monitor                            thread without a P that arms a timer
 *     [S] sleeps_until                   [S] next_ns of monitor_clock
 *         fence(sc)                          fence(sc)
 *     [L] next_ns of monitor_clock       [L] sleeps_until
 *
 * One sees the other: either the monitor sleeps until the timer only, or it is woken for
 * it. What stands in sleeps_until while it is awake is old. If it is too late a time, it
 * is woken for nothing; if it is not, that load comes before the monitor's next store
 * there, and the monitor sees the timer.
 */
#define TICK_MIN_NS      ((int64_t)20 * 1000)
#define TICK_MAX_NS      ((int64_t)1000 * 1000)
#define TICK_LONG_NS     ((int64_t)10 * 1000 * 1000)
#define DROWSY_NS        ((int64_t)200 * 1000)
#define SCAVENGE_NS      ((int64_t)1000 * 1000 * 1000)
#define FOLLOW_NS        ((int64_t)1000 * 1000 * 1000)
#define POLL_TICK_MIN_NS ((int64_t)100 * 1000)
#define POLL_TICK_MAX_NS ((int64_t)3200 * 1000)
#define IDLE_TICKS_MAX   4 /* ticks with all Ps idle before it goes dormant */

/* A P that is later than that to its timers has forgotten the time. */
#define LATE_NS ((int64_t)100 * 1000)

rt_atomic(uint32_t) rt_monitor_dormant;
rt_atomic(uint32_t) rt_monitor_drowsy;

/* What a P had done at the last look. */
struct seen {
    uint32_t switches;
    uint32_t schedtick;
    int64_t slice_began_ns; /* when this schedtick was first seen */
};

static struct {
    os_thread thread; /* who starts and stops it */

    /* Atomic: futex; changes when the monitor has to wake. */
    rt_atomic(uint32_t) sequence;
    rt_atomic(uint32_t) stop;
    rt_atomic(uint32_t) helping; /* 1 from the request for stacks until none is wanted */
    rt_atomic(int64_t) sleeps_until; /* see 'Wake before' */
    rt_atomic(bool) polls;           /* it sleeps in the poller; see 'Polling' */

    /* The monitor's own. */
    struct seen *seen; /* per P */
    int64_t tick_ns;
    int64_t next_trace_ns;
    int64_t next_scavenge_ns;
    int64_t next_retry_ns;
    int64_t next_follow_ns;
    struct rt_cpu_reader *limits;
    int64_t poll_tick_ns;
    int64_t busy_timer_ns; /* the first timer of a busy P at the last look */
    bool scavenge_more;
    int idle_ticks;
} monitor;

void rt_monitor_wake(void) {
    /* sc: after what it is woken for, which it looks at after it has read the
       sequence. */
    rt_add_sc(&monitor.sequence, 1);
    /* fence(sc): the sequence before polls. Pairs with sleep_polling(). */
    rt_fence_sc();
    if (rt_load_acq(&monitor.polls)) { /* acquire: pairs with sleep_polling() */
        rt_poll_break();
    } else {
        os_futex_wake(&monitor.sequence, 1);
    }
}

void rt_monitor_wake_before(int64_t when_ns) {
    /* fence(sc): the timer before sleeps_until. Pairs with sleep_until(). */
    rt_fence_sc();
    /* relaxed: ordered by the fence */
    if (rt_load_rlx(&monitor.sleeps_until) > when_ns) {
        rt_monitor_wake();
    }
}

void rt_monitor_help(void) {
    /* acq_rel: one request, one wake-up; stronger than needed. */
    if (rt_load_rlx(&monitor.helping) == 0 && rt_swap_acqrel(&monitor.helping, 1) == 0) {
        rt_monitor_wake();
    }
}

/* Its other duties come between the batches. */
static bool help(void) {
    /* relaxed: seen at the next look at latest */
    if (rt_load_rlx(&monitor.helping) == 0) {
        return false;
    }
    bool more = rt_stack_help();
    if (!more) {
        rt_store_rlx(&monitor.helping, 0); /* relaxed: whoever wants help asks again */
    }
    return more;
}

/* True: the P has a goroutine in its next slot, or some that it keeps, and has not moved
   on since the last look. */
static bool next_is_stuck(struct rt_p *p) {
    struct seen *seen = &monitor.seen[p->id];
    uint32_t switches = rt_p_switches(p);
    bool stuck = switches == seen->switches &&
                 /* relaxed: a hint; the thief decides */
                 (rt_load_rlx(&p->runq.next) != NULL || rt_runq_kept(&p->runq) > 0);
    seen->switches = switches;
    if (stuck) {
        rt_runq_keep_none(&p->runq);
    }
    return stuck;
}

static void end_slices(int64_t now) {
    for (uint32_t i = 0; i < rt_sched_ps_end(); i++) {
        struct rt_p *p = &rt_sched.ps[i];
        struct seen *seen = &monitor.seen[i];
        uint32_t tick = rt_load_rlx(&p->schedtick); /* relaxed: a hint */
        if (tick != seen->schedtick || rt_idle_has(i)) {
            seen->schedtick = tick;
            seen->slice_began_ns = now;
        } else if (now - seen->slice_began_ns >= rt_sched.config.slice_ns) {
            seen->slice_began_ns = now;
            /* acq_rel: stronger than needed; the owner sees it at some later
               scheduling. */
            rt_or_acqrel(&p->attention, RT_ATTENTION_SLICE);
        }
    }
}

static bool rescue_next(void) {
    bool found = false;
    for (uint32_t i = 0; i < rt_sched_ps_end(); i++) {
        found |= next_is_stuck(&rt_sched.ps[i]);
    }
    if (found) {
        /* As after a submit: those that are no longer kept are a surplus from here on. */
        rt_idle_notify(1);
    }
    return found;
}

/* Idle Ps have an M that sleeps until their timers are due. */
static void rescue_timers(int64_t now) {
    bool found = false;
    monitor.busy_timer_ns = RT_WHEEL_NEVER;
    for (uint32_t i = 0; i < rt_sched_ps_end(); i++) {
        struct rt_p *p = &rt_sched.ps[i];
        int64_t timer_ns = rt_load_rlx(&p->clock.next_ns); /* relaxed: a hint */
        if (timer_ns == RT_WHEEL_NEVER || rt_idle_has(i)) {
            continue;
        }
        if (timer_ns < monitor.busy_timer_ns) {
            monitor.busy_timer_ns = timer_ns;
        }
        if (now - timer_ns >= LATE_NS) {
            found = true;
            /* acq_rel: stronger than needed; the owner sees it at some later
               scheduling. */
            rt_or_acqrel(&p->attention, RT_ATTENTION_TIMERS);
        }
    }
    if (found) {
        rt_idle_wake(1);
    }
}

/* A timer need not make a goroutine runnable. If it was the last, and all Ps are idle,
   nobody else will notice that nothing can happen any more. */
static void fire_timers(int64_t now) {
    if (!rt_clock_is_due(&rt_sched.monitor_clock, now)) {
        return; /* one that is armed just now is seen next time */
    }
    rt_find_monitor_timers(now);
    /* fence(sc): the timer's time before the idle word. Pairs with the fence in
       rt_idle_give_up(), after which rt_quiesce_check() reads the time. */
    rt_fence_sc();
    if (rt_idle_all()) {
        rt_quiesce_check();
    }
}

/* True if a thread could not be started or a stack not be had. */
static bool have_failures(void) {
    /* relaxed: looked at again at the next tick; before going dormant, ordered by the
       fence there. */
    return rt_idle_aside(rt_load_rlx(&rt_idle.word)) != 0 ||
           rt_load_rlx(&rt_sched.starved) != 0;
}

static void retry_failures(int64_t now) {
    if (have_failures() && now >= monitor.next_retry_ns) {
        monitor.next_retry_ns = now + TICK_LONG_NS;
        rt_spawn_feed_starved();
        rt_idle_retry_unstartable();
    }
}

/* In files, which takes some ten microseconds: the C library's memory is not touched. */
static void follow_limits(int64_t now) {
    if (now < monitor.next_follow_ns) {
        return;
    }
    monitor.next_follow_ns = now + FOLLOW_NS;
    uint32_t seen = rt_procs_follows();
    if (seen == 0) {
        return;
    }
    uint32_t procs = rt_procs_by_default(rt_sched.config.debug.container_procs
                                             ? rt_cpu_reader_procs(monitor.limits)
                                             : rt_cpu_count());
    if (procs != 0) {
        rt_procs_follow(procs, seen);
    }
}

static void scavenge(int64_t now) {
    if (now >= monitor.next_scavenge_ns) {
        monitor.next_scavenge_ns = now + SCAVENGE_NS;
        monitor.scavenge_more = rt_stack_scavenge();
    }
}

static void trace(int64_t now) {
    int64_t period_ns = (int64_t)rt_sched.config.debug.schedtrace_ms * 1000000;
    if (period_ns > 0 && now >= monitor.next_trace_ns) {
        monitor.next_trace_ns = now + period_ns;
        rt_schedtrace_print();
    }
}

/* Until when to sleep after a look at that time. */
static int64_t plan(int64_t now, bool rescued, int64_t retake_ns) {
    uint64_t w = rt_load_rlx(&rt_idle.word); /* relaxed: a hint */
    bool mixed = rt_idle_ps(w) > 0 && rt_idle_ps(w) < rt_idle_total(w);
    if (!mixed || rescued) {
        monitor.tick_ns = TICK_MIN_NS;
    } else {
        monitor.tick_ns =
            monitor.tick_ns * 2 < TICK_MAX_NS ? monitor.tick_ns * 2 : TICK_MAX_NS;
    }
    int64_t long_ns =
        rt_sched.config.slice_ns < TICK_LONG_NS ? rt_sched.config.slice_ns : TICK_LONG_NS;
    if (long_ns < TICK_MIN_NS) {
        long_ns = TICK_MIN_NS;
    }
    int64_t until = now + (mixed ? monitor.tick_ns : long_ns);
    until = retake_ns < until ? retake_ns : until;
    if (rt_sched.config.debug.schedtrace_ms > 0 && monitor.next_trace_ns < until) {
        until = monitor.next_trace_ns;
    }
    if (monitor.busy_timer_ns < until - LATE_NS) {
        int64_t late_ns = monitor.busy_timer_ns + LATE_NS;
        int64_t tick_ns = until - now < TICK_MAX_NS ? until - now : TICK_MAX_NS;
        until = late_ns > now + tick_ns ? late_ns : now + tick_ns;
    }
    return until;
}

/* The monitor has taken the poller. */
static void sleep_polling(uint32_t sequence, int64_t until) {
    rt_store_rel(&monitor.polls, true); /* release: that there is a poller */
    /* fence(sc): polls before the sequence. Pairs with rt_monitor_wake(). */
    rt_fence_sc();
    if (rt_load_rlx(&monitor.sequence) == sequence) { /* relaxed: ordered by the fence */
        rt_poll_monitor_sleep(until);
    }
    rt_store_rlx(&monitor.polls, false); /* relaxed: a wake-up too many does no harm */
    rt_poll_give();
}

/* Sleeps until then, or until its first timer is due, or until rt_monitor_wake() has
   changed the sequence; in the poller if that is wanted and nobody else is there. */
static void sleep_until(uint32_t sequence, int64_t until, bool polls) {
    rt_store_rlx(&monitor.sleeps_until, until); /* relaxed: ordered by the fence */
    /* fence(sc): sleeps_until before the timer. Pairs with rt_monitor_wake_before(). */
    rt_fence_sc();
    /* relaxed: ordered by the fence */
    int64_t timer_ns = rt_load_rlx(&rt_sched.monitor_clock.next_ns);
    until = timer_ns < until ? timer_ns : until;
    if (polls && rt_poll_take()) {
        sleep_polling(sequence, until);
        return;
    }
    if (polls && rt_poll_sleeper() == RT_POLL_NO_P) { /* who looks may compute next */
        int64_t soon_ns = os_now() + POLL_TICK_MIN_NS;
        until = soon_ns < until ? soon_ns : until;
    }
    os_futex_wait(&monitor.sequence, sequence, until);
}

/* True if the next look can wait until something happens. */
static bool may_sleep_long(void) {
    if (!rt_idle_all() || have_failures() || rt_sched.config.debug.schedtrace_ms > 0) {
        monitor.idle_ticks = 0;
        return false;
    }
    return ++monitor.idle_ticks > IDLE_TICKS_MAX;
}

/* When to see to the poller: at once if it is stale. As long as the Ps see to it, the
   next look is twice as late each time. */
static int64_t plan_polling(int64_t now) {
    int64_t stale_ns = rt_poll_stale_ns();
    if (stale_ns <= now || stale_ns == OS_NEVER) {
        monitor.poll_tick_ns = POLL_TICK_MIN_NS;
        return stale_ns;
    }
    if (monitor.poll_tick_ns < POLL_TICK_MAX_NS) {
        monitor.poll_tick_ns *= 2;
    }
    return now + monitor.poll_tick_ns;
}

/* Sleeps until poked; until the next time to give memory back if there is some. */
static void sleep_dormant(uint32_t sequence) {
    rt_store_rlx(&rt_monitor_dormant, 1); /* relaxed: ordered by the fence */
    /* fence(sc): dormant before the idle word. Pairs with rt_monitor_poke(). */
    rt_fence_sc();
    if (rt_idle_all() && !have_failures()) {
        /* Woken by rt_monitor_poke() or rt_monitor_stop(), which change the sequence
           first. */
        sleep_until(sequence, monitor.scavenge_more ? monitor.next_scavenge_ns : OS_NEVER,
                    rt_poll_wanted());
    }
    rt_store_rlx(&rt_monitor_dormant, 0); /* relaxed: a poke too many does no harm */
}

static void monitor_main(void *unused) {
    (void)unused;
    os_timer_slack_remove();
    for (;;) {
        /* acquire: the stop flag is seen if its change of the sequence is. Pairs with
           rt_monitor_wake(). */
        uint32_t sequence = rt_load_acq(&monitor.sequence);
        if (rt_load_acq(&monitor.stop) != 0) {
            return;
        }
        int64_t now = os_now();
        fire_timers(now); /* first: the others can wait */
        bool rescued = rescue_next();
        rescue_timers(now);
        int64_t retake_ns = rt_retake_look(now, &rescued);
        int64_t guard_ns = rt_dump_guard(now);
        retake_ns = guard_ns < retake_ns ? guard_ns : retake_ns;
        end_slices(now);
        retry_failures(now);
        follow_limits(now);
        scavenge(now);
        trace(now);
        if (help()) {
            continue;
        }
        if (guard_ns == OS_NEVER && may_sleep_long()) {
            sleep_dormant(sequence);
        } else {
            int64_t until = plan(now, rescued, retake_ns);
            int64_t stale_ns = plan_polling(now);
            rt_store_rlx(&rt_monitor_drowsy,
                         until - now > DROWSY_NS &&
                             !rt_retake_watches_calls()); /* relaxed: a hint */
            sleep_until(sequence, stale_ns > now && stale_ns < until ? stale_ns : until,
                        stale_ns <= now);
            rt_store_rlx(&rt_monitor_drowsy, 0);
        }
    }
}

int rt_monitor_start(void) {
    int64_t now = os_now();
    int error = -ENOMEM;
    monitor.seen = rt_alloc(RT_PROCS_MAX * sizeof monitor.seen[0]);
    monitor.limits = rt_cpu_reader_make(rt_sched.config.cgroup_root);
    if (monitor.seen == NULL || monitor.limits == NULL) {
        goto fail_retake;
    }
    rt_store_rlx(&monitor.stop, 0); /* relaxed: published by starting the thread */
    rt_store_rlx(&monitor.helping, 0);
    monitor.tick_ns = TICK_MIN_NS;
    monitor.poll_tick_ns = POLL_TICK_MIN_NS;
    monitor.idle_ticks = 0;
    monitor.scavenge_more = false;
    rt_store_rlx(&monitor.sleeps_until, 0);
    monitor.next_retry_ns = now;
    monitor.next_follow_ns = now + FOLLOW_NS;
    monitor.next_scavenge_ns = now + SCAVENGE_NS;
    monitor.next_trace_ns = now + (int64_t)rt_sched.config.debug.schedtrace_ms * 1000000;
    for (uint32_t i = 0; i < RT_PROCS_MAX; i++) {
        monitor.seen[i].slice_began_ns = now;
    }
    error = rt_retake_start();
    if (error != 0) {
        goto fail_retake;
    }
    error = os_thread_start(&monitor.thread, "tuco-monitor", monitor_main, NULL);
    if (error != 0) {
        goto fail_thread;
    }
    return 0;

fail_thread:
    rt_retake_stop();
fail_retake:
    rt_free(monitor.limits);
    rt_free(monitor.seen);
    return error;
}

void rt_monitor_stop(void) {
    /* release: before the change of the sequence. Pairs with the acquire in
       monitor_main(). */
    rt_store_rel(&monitor.stop, 1);
    rt_monitor_wake();
    os_thread_join(monitor.thread); /* it never runs the program's code, so it comes */
    rt_retake_stop();
    rt_free(monitor.limits);
    rt_free(monitor.seen);
}
