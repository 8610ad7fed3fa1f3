/* SPDX-License-Identifier: MIT */
/* Sysmon: a thread without a P, for work that Ms cannot do, or would do too late. */
#include "sched/sysmon/sysmon.h"
#include "base/alloc.h"
#include "base/wheel.h"
#include "cpu/cpu.h"
#include "debug/dump.h"
#include "sched/pending.h"
#include "sched/thread/wakep.h"
#include "sched/netpoll/netpoll.h"
#include "sched/netpoll/pollset.h"
#include "sched/procresize.h"
#include "sched/deadlock.h"
#include "sched/sysmon/retake.h"
#include "sched/sysmon/sysmonnote.h"
#include "sched/sched.h"
#include "debug/schedtrace.h"
#include "sched/starved.h"
#include "sched/tuning.h"
#include "sched/runtimer.h"
#include "sched/thread/newmhandoff.h"

#include <errno.h>
#include <stdio.h>

/*
 * Duties:
 *   - a goroutine is alone in the runnext of a P that computes, or in the part of its ring
 *     that the P keeps, while other Ps are idle: wakes an M to steal it
 *   - some Ps are idle and some busy: begins a new period of habits, see park.c
 *   - descriptors may be ready, and no M polls: see netpoll.c
 *   - a P has begun no slice for the length of one: ends the slice, so that its ring gets
 *     its turn, see rt_findrunnable_local()
 *   - a thread blocks in the kernel, or a goroutine computes for too long: see retake.c
 *   - a timer of a P that computes is due: wakes an M to steal it, and sends the owner to
 *     its timers at its next scheduling
 *   - timers of threads without a P: fires them
 *   - a thread could not be started, or a stack could not be allocated: tries again
 *   - the CPUs or the quota of the process have changed: changes the number of Ps about a
 *     second later, unless the program has set it
 *   - unused stacks after a burst: gives their memory back
 *   - a large burst: makes stacks ahead
 *   - all goroutines sleep beside threads of the program: repeats the deadlock check
 *   - a fatal report waits for a lock of the C library: ends it, see rt_dump_guard()
 *   - TUCODEBUG=schedtrace: prints a line at each interval
 *
 * Period. While some Ps are idle and some are busy, sysmon looks every TICK_MIN_NS to
 * TICK_MAX_NS, and backs off while it finds nothing. While all are idle there is nothing
 * to rescue, but one may become busy, and sysmon would not know: it looks every
 * TICK_MAX_NS, and goes dormant after IDLE_TICKS_MAX looks, unless there is something to
 * retry. While all are busy there is nothing to rescue either. If that lasts, or there is
 * only one P, sysmon looks every TICK_BUSY_NS, or at the end of each slice if slices are
 * shorter; sooner if retake.c asks for it. The first M that goes to sleep with its P then
 * wakes it: see 'Dormant'. It never sleeps past its own first timer.
 *
 * Late timers. Sysmon looks late_ns after the first timer of a busy P, if it knows of that
 * timer: a P does not wake sysmon for a timer that it arms. So TICK_BUSY_NS bounds how late
 * sysmon finds one behind a goroutine that computes. If sysmon has found a late timer and
 * has stopped a goroutine by a signal lately, it looks every TICK_MAX_NS: goroutines that
 * compute and goroutines that sleep for short times take turns, and each new timer is
 * behind the next one that computes. Most of the time the P fires its timers itself: then
 * late_ns doubles at each look that finds none late, from LATE_NS up to TICK_MAX_NS.
 *
 * Other threads wake sysmon by the functions of sysmonnote.h.
 *
 * Dormant. Sysmon sleeps until an M or a foreign thread that waits for a descriptor pokes
 * it, its first timer is due, memory can be given back, or the deadlock check is due.
 *
 *     sysmon                             M that got a P, or that has had a failure
 *     [S] dormant := 1                   [S] the idle word (RMW), or the count of starved
 *         fence(sc)                          fence(sc)
 *     [L] are all Ps idle? failures?     [L] dormant
 *
 * One sees the other: either sysmon finds a busy P or a failure and stays awake, or the M
 * wakes it. An M gets a P when a waker gives it one, when it takes one itself, or at
 * start; it calls rt_sysmon_poke() in each case. A long sleep beside busy Ps follows the
 * same rule: sysmon stores RT_SYSMON_LONG in rt_sysmon_drowsy and checks again that no P
 * is idle; an M that has counted its P idle reads it, and so does the resizer that has
 * added idle Ps. An M wakes sysmon in this way at most once in BUSY_LASTS_NS.
 *
 * Polling. If no M polls, sysmon sleeps in the poller: see netpoll.c. A thread that wakes
 * sysmon has to know where it sleeps.
 *
 *     sysmon                             thread that wakes sysmon
 *     [S] polls := true                  [S] the sequence
 *         fence(sc)                          fence(sc)
 *     [L] the sequence                   [L] polls
 *
 * One sees the other: either sysmon does not sleep, or the waker wakes the poller. If
 * sysmon has left the poller meanwhile, it sees the sequence; the next thread that polls
 * then returns for no reason.
 *
 * A new first timer. ('Wake before')
 *
 *     sysmon                             thread without a P that arms a timer
 *     [S] sleeps_until                   [S] next_ns of sysmon_clock
 *         fence(sc)                          fence(sc)
 *     [L] next_ns of sysmon_clock        [L] sleeps_until
 *
 * One sees the other: either sysmon sleeps only until the timer, or the thread wakes it.
 * While sysmon is awake, sleeps_until has an old value. If that value is too late, the
 * thread wakes sysmon for nothing. If it is not, the thread's load precedes sysmon's next
 * store there, and sysmon sees the timer.
 *
 * Delay. ('Delay') When every CPU computes, the kernel lets the thread that runs finish its
 * slice before sysmon, 3 to 4 ms. A thread with a shorter slice does not wait for that. So
 * sysmon requests the shortest; it computes for microseconds at a time. Sleeps of 1 ms
 * behind goroutines that compute, one P on two CPUs, the 99th percentile: 4.4 ms late, and
 * 0.4 ms with the short slice.
 */

/* The time between two looks: see 'Period'. At most TICK_MAX_NS if a P is idle, and
   TICK_BUSY_NS once all have been busy for BUSY_LASTS_NS. */
#define TICK_MIN_NS   (20 * RT_US)
#define TICK_MAX_NS   RT_MS
#define TICK_BUSY_NS  (3 * RT_MS)
#define BUSY_LASTS_NS (10 * RT_MS)

/* How many looks find all Ps idle before sysmon goes dormant. */
#define IDLE_TICKS_MAX 4

/* A busy P this late for its first timer is not looking at its clock. */
#define LATE_NS (100 * RT_US)

/* How long sysmon looks often after it has found a late timer: see 'Late timers'. */
#define HURRY_NS (100 * RT_MS)

/* From a longer sleep sysmon is woken by a thread that announces a call while goroutines
   wait for its P. */
#define DROWSY_NS (200 * RT_US)

/* How soon sysmon tries again to start a thread or to get a stack: other threads may end,
   or free memory, meanwhile. */
#define RETRY_NS (10 * RT_MS)

/* How often sysmon begins to give back the memory of unused stacks. After each slice it
   rests SCAVENGE_REST times as long as the slice took. */
#define SCAVENGE_NS   RT_S
#define SCAVENGE_REST 3

/* How often sysmon reads the CPUs and the quota of the process, which are in files. */
#define FOLLOW_NS RT_S

/* The time between two looks at whether the Ps poll: see plan_polling(). */
#define POLL_TICK_MIN_NS (100 * RT_US)
#define POLL_TICK_MAX_NS (3200 * RT_US)

/* How long a period of habits lasts at least: see 'Habits' in park.c. */
#define HABIT_PERIOD_NS (16 * RT_MS)

/* A shortage that is reported to the user once it has lasted. */
struct watch {
    struct rt_lack lack;
    uint64_t progress;   /* the count at the last look */
    int64_t reported_ns; /* 0: not reported yet */
};

static struct {
    os_thread thread; /* start and stop only */

    rt_atomic(uint32_t) stop; /* Atomic: written before sysmon is woken to end */

    /* Sysmon only; the starting thread before it runs. */
    int64_t tick_ns;
    int64_t next_trace_ns;
    int64_t next_scavenge_ns;
    int64_t next_period_ns; /* the next round of scavenging */
    int64_t next_retry_ns;
    struct watch threads; /* no thread can be started, and no P schedules */
    struct watch stacks;  /* no stack can be allocated, and no goroutine ends */
    int64_t next_follow_ns;
    struct rt_cpu_reader *limits;
    int64_t poll_tick_ns;
    /* the first timer of a busy P that was not late at that look */
    int64_t busy_timer_ns;
    int64_t late_ns;       /* how long after that timer sysmon looks */
    int64_t found_late_ns; /* the last look at which a timer of a busy P was late */
    int64_t busy_since_ns; /* the last look at which a P was idle beside others */
    int64_t habits_ns;     /* when the period of habits began */
    uint8_t habit_period;
    bool scavenge_more;
    int idle_ticks;
} sysmon;

/* One batch of stacks; the other duties come between batches. True: more are wanted. */
static bool stacks_make_batch(void) {
    /* relaxed: rt_sysmon_help() wakes sysmon afterwards */
    if (rt_load_rlx(&rt_sysmonnote.helping) == 0) {
        return false;
    }
    bool more = rt_stack_help();
    if (!more) {
        /* relaxed: the next burst requests help again */
        rt_store_rlx(&rt_sysmonnote.helping, 0);
    }
    return more;
}

/* True: the P has not yet taken all the goroutines that it kept at an earlier look,
   RT_NETPOLL_WORTH_NS ago. */
static bool keeps_too_long(struct rt_p *p, int64_t now) {
    struct rt_sysmontick *seen = &p->sysmontick;
    if (rt_runq_kept(&p->runq) == 0) {
        seen->kept_ns = 0;
        return false;
    }
    if (seen->kept_ns == 0 || rt_runq_has_passed(&p->runq, seen->kept_end)) {
        seen->kept_ns = now;
        seen->kept_end = rt_runq_kept_end(&p->runq);
        return false;
    }
    return now - seen->kept_ns >= RT_NETPOLL_WORTH_NS;
}

/* True: the P has a goroutine in runnext, or some that it keeps, and has not scheduled
   since the last look; or it keeps some for too long. */
static bool next_is_stuck(struct rt_p *p, int64_t now) {
    struct rt_sysmontick *seen = &p->sysmontick;
    uint32_t switches = rt_p_switches(p);
    bool stuck = keeps_too_long(p, now);
    stuck |= switches == seen->switches &&
             /* relaxed: a hint; the thief decides */
             (rt_load_rlx(&p->runq.runnext) != NULL || rt_runq_kept(&p->runq) > 0);
    seen->switches = switches;
    if (stuck) {
        rt_p_waker_goes_on(p);
        rt_runq_keep_none(&p->runq);
    }
    return stuck;
}

static void end_slices(int64_t now) {
    for (uint32_t i = 0; i < rt_sched_ps_end(); i++) {
        struct rt_p *p = &rt_sched.ps[i];
        struct rt_sysmontick *seen = &p->sysmontick;
        uint32_t tick = rt_load_rlx(&p->schedtick); /* relaxed: a hint */
        if (tick != seen->schedtick || rt_pidle_has(i)) {
            seen->schedtick = tick;
            seen->slice_began_ns = now;
        } else if (now - seen->slice_began_ns >= rt_sched.config.slice_ns) {
            seen->slice_began_ns = now;
            rt_attention_set(p, RT_ATTENTION_SLICE);
        }
    }
}

static bool rescue_next(int64_t now) {
    bool found = false;
    for (uint32_t i = 0; i < rt_sched_ps_end(); i++) {
        found |= next_is_stuck(&rt_sched.ps[i], now);
    }
    if (found) {
        /* As after a submit: goroutines that the P no longer keeps can be stolen from now
           on. */
        rt_wakep(1);
    }
    return found;
}

/* Only of busy Ps: the M of an idle P sleeps until its first timer is due. A P that is late
   fires its timers at its next scheduling, so sysmon need not look at these again; an M
   that goes idle fires them as well. */
static void rescue_timers(int64_t now) {
    bool found = false;
    sysmon.busy_timer_ns = RT_WHEEL_NEVER;
    for (uint32_t i = 0; i < rt_sched_ps_end(); i++) {
        struct rt_p *p = &rt_sched.ps[i];
        int64_t timer_ns = rt_load_rlx(&p->clock.next_ns); /* relaxed: a hint */
        if (timer_ns == RT_WHEEL_NEVER || rt_pidle_has(i)) {
            continue;
        }
        if (now - timer_ns >= LATE_NS) {
            found = true;
            rt_attention_set(p, RT_ATTENTION_TIMERS);
        } else {
            sysmon.busy_timer_ns = rt_earlier(sysmon.busy_timer_ns, timer_ns);
        }
    }
    if (found) {
        sysmon.found_late_ns = now;
        sysmon.late_ns = LATE_NS;
        rt_wakep_slow(1);
    } else {
        sysmon.late_ns = rt_earlier(2 * sysmon.late_ns, TICK_MAX_NS);
    }
}

/* A timer need not make a goroutine runnable. If it was the last one, and all Ps are
   idle, no other thread would notice a deadlock. */
static void fire_timers(int64_t now) {
    if (!rt_clock_is_due(&rt_sched.sysmon_clock, now)) {
        return; /* a timer that is armed just now is seen at the next look */
    }
    rt_timers_run_sysmon(now);
    /* fence(sc): the timer's time before the idle word. Pairs with the fence in
       rt_spinning_give_up(), after which rt_checkdead_after() reads the time. */
    rt_fence_sc();
    if (rt_pidle_all()) {
        rt_checkdead();
    }
}

/* Queued goroutines are counted up to this number for the report of a lack. */
#define LACK_COUNTED 1000

/* True if a thread could not be started, or a goroutine waits for a stack. */
static bool have_failures(void) {
    /* relaxed: read again at the next tick; before sysmon goes dormant, ordered by the
       fence in sleep_dormant(). */
    return rt_pidle_aside(rt_load_rlx(&rt_pidle.word)) != 0 ||
           rt_load_rlx(&rt_sched.starved) != 0;
}

#define KIB 1024 /* the unit of ulimit -v and ulimit -l */

/* "unlimited", or the number. */
struct limit_text {
    char text[24];
};

static struct limit_text limit_text(uint64_t limit, uint64_t unit) {
    struct limit_text t = {"unlimited"};
    if (limit != OS_UNLIMITED) {
        snprintf(t.text, sizeof t.text, "%llu", (unsigned long long)(limit / unit));
    }
    return t;
}

static void report_lack_of_stacks(uint32_t starved) {
    rt_print("tuco: %u goroutines wait for stack memory (%zu KiB each by default); the "
             "process uses %zu KiB of address space: see TUCOSTACK, ulimit -v (%s KiB), "
             "ulimit -l (%s KiB) if the program locks its memory, and vm.max_map_count "
             "(%ld)\n",
             starved, rt_sched.config.stack_bytes / KIB, os_memory_mapped() / KIB,
             limit_text(os_limit(OS_LIMIT_MEMORY), KIB).text,
             limit_text(os_limit(OS_LIMIT_LOCKED), KIB).text, os_max_mappings());
}

static void report_lack_of_threads(uint32_t runnable) {
    rt_print(
        "tuco: cannot start a thread for %s%u runnable goroutines; the process has %d "
        "threads: see ulimit -u (%s) and pids.max of the cgroup\n",
        runnable >= LACK_COUNTED ? "at least " : "", runnable, os_thread_count(),
        limit_text(os_limit(OS_LIMIT_THREADS), 1).text);
}

/* True: count has been above 0 for RT_STUCK_NS without progress, and it is time to report
   it: the program seems to hang. */
static bool must_be_reported(struct watch *w, uint32_t count, uint64_t progress) {
    if (progress != w->progress) {
        *w = (struct watch){.progress = progress}; /* what comes next is another lack */
        return false;
    }
    if (count == 0) {
        return false; /* those that sysmon has just queued may fail again */
    }
    return rt_lack_lasts(&w->lack) && rt_lack_is_due(&w->reported_ns);
}

/* Those in a runnext too: a P without a thread keeps one there. */
static uint32_t count_runnable(void) {
    uint32_t count = rt_pending_count(LACK_COUNTED);
    for (uint32_t i = 0; i < rt_sched_ps_end(); i++) {
        /* relaxed: a hint */
        count += rt_load_rlx(&rt_sched.ps[i].runq.runnext) != NULL;
    }
    return count;
}

static void watch_lack(int64_t now) {
    uint32_t starved = rt_load_rlx(&rt_sched.starved); /* relaxed: a count */
    /* relaxed: a hint */
    bool refused = rt_pidle_aside(rt_load_rlx(&rt_pidle.word)) != 0 ||
                   rt_newm_was_refused(now - RT_STUCK_NS);
    uint32_t runnable = refused ? count_runnable() : 0;
    if (must_be_reported(&sysmon.stacks, starved, rt_sched_ended())) {
        report_lack_of_stacks(starved);
    }
    if (must_be_reported(&sysmon.threads, runnable, rt_sched_switches())) {
        report_lack_of_threads(runnable);
    }
}

static void feed_starved(void) {
    uint32_t fed = rt_starved_feed();
    if (fed > 0) {
        rt_wakep(fed);
    }
}

static void retry_failures(int64_t now) {
    if (have_failures() && now >= sysmon.next_retry_ns) {
        sysmon.next_retry_ns = now + RETRY_NS;
        feed_starved();
        rt_pidle_retry_unstartable();
    }
}

/* Reads files, which takes some ten microseconds. Does not allocate from the C
   library. */
static void follow_limits(int64_t now) {
    if (now < sysmon.next_follow_ns) {
        return;
    }
    sysmon.next_follow_ns = now + FOLLOW_NS;
    uint32_t seen = rt_procs_follows();
    if (seen == 0) {
        return;
    }
    uint32_t procs = rt_procs_by_default(rt_sched.config.debug.container_procs
                                             ? rt_cpu_reader_procs(sysmon.limits)
                                             : rt_cpu_count());
    if (procs != 0) {
        rt_procs_follow(procs, seen);
    }
}

/* Takes a quarter of the time at most, in slices of less than a millisecond. */
static void scavenge(int64_t now) {
    if (now < sysmon.next_scavenge_ns) {
        return;
    }
    if (now >= sysmon.next_period_ns) {
        sysmon.next_period_ns = now + SCAVENGE_NS;
        rt_stack_scavenge_begin();
    }
    enum rt_scavenged left = rt_stack_scavenge();
    sysmon.scavenge_more = left != RT_SCAVENGED_ALL;
    sysmon.next_scavenge_ns = sysmon.next_period_ns;
    if (left == RT_SCAVENGED_SOME) {
        int64_t end = os_now();
        int64_t soon_ns = end + SCAVENGE_REST * (end - now);
        sysmon.next_scavenge_ns = rt_earlier(soon_ns, sysmon.next_period_ns);
    }
}

static void schedtrace_print_due(int64_t now) {
    int64_t period_ns = rt_sched.config.debug.schedtrace_ms * RT_MS;
    if (period_ns > 0 && now >= sysmon.next_trace_ns) {
        sysmon.next_trace_ns = now + period_ns;
        rt_schedtrace_print();
    }
}

/* True: a P is idle that could take work from another one. */
static bool is_p_idle_beside_others(void) {
    uint64_t w = rt_load_rlx(&rt_pidle.word); /* relaxed: a hint, or ordered by a fence */
    return rt_pidle_ps(w) > 0 && rt_pidle_total(w) > 1;
}

/* What wakers were seen to do is forgotten: see 'Habits' in park.c. */
static void begin_habit_period(int64_t now) {
    if (now - sysmon.habits_ns < HABIT_PERIOD_NS) {
        return;
    }
    sysmon.habits_ns = now;
    sysmon.habit_period = (uint8_t)(sysmon.habit_period % RT_HABIT_PERIODS + 1);
    for (uint32_t i = 0; i < rt_sched_ps_end(); i++) {
        /* relaxed: a number */
        rt_store_rlx(&rt_sched.ps[i].habit_period, sysmon.habit_period);
    }
}

/* Notes after a look whether some Ps are idle and some are busy, and returns it. While
   they are, periods of habits begin, and ticks become longer unless sysmon has rescued
   a goroutine. */
static bool note_mixed(int64_t now, bool rescued) {
    bool idle = is_p_idle_beside_others();
    if (idle) {
        sysmon.busy_since_ns = now;
    }
    if (!idle || rt_pidle_all()) {
        sysmon.tick_ns = TICK_MIN_NS;
        return false;
    }
    begin_habit_period(now);
    sysmon.tick_ns = rescued ? TICK_MIN_NS : rt_earlier(sysmon.tick_ns * 2, TICK_MAX_NS);
    return true;
}

/* How long to sleep if all Ps are idle or all are busy. */
static int64_t long_tick_ns(int64_t now) {
    bool lasts = now - sysmon.busy_since_ns >= BUSY_LASTS_NS;
    /* See 'Late timers'. */
    bool hurries = rt_retake_has_hogs(now) && now - sysmon.found_late_ns < HURRY_NS;
    int64_t tick_ns = lasts && !hurries ? TICK_BUSY_NS : TICK_MAX_NS;
    tick_ns = rt_earlier(tick_ns, rt_sched.config.slice_ns);
    return tick_ns > TICK_MIN_NS ? tick_ns : TICK_MIN_NS;
}

/* When to look for late timers of busy Ps: see 'Late timers'. */
static int64_t timers_look_ns(void) {
    return sysmon.busy_timer_ns == RT_WHEEL_NEVER ? OS_NEVER
                                                  : sysmon.busy_timer_ns + sysmon.late_ns;
}

/* When the next look is due after one at now: see 'Period'. */
static int64_t next_look_ns(int64_t now, bool mixed, int64_t retake_ns) {
    int64_t tick_ns = mixed ? sysmon.tick_ns : long_tick_ns(now);
    int64_t until = rt_earlier(now + tick_ns, retake_ns);
    until = rt_earlier(until, timers_look_ns());
    if (rt_sched.config.debug.schedtrace_ms > 0) {
        until = rt_earlier(until, sysmon.next_trace_ns);
    }
    if (sysmon.scavenge_more) {
        until = rt_earlier(until, sysmon.next_scavenge_ns);
    }
    return until;
}

/* Sysmon has taken the poller. */
static void sleep_polling(uint32_t sequence, int64_t until) {
    /* release: publishes the poller. Pairs with the acquire in rt_sysmon_wake(). */
    rt_store_rel(&rt_sysmonnote.polls, true);
    /* fence(sc): polls before the sequence. Pairs with the fence in rt_sysmon_wake(). */
    rt_fence_sc();
    /* relaxed: ordered by the fence */
    if (rt_load_rlx(&rt_sysmonnote.sequence) == sequence) {
        rt_netpoll_sysmon_sleep(until);
    }
    /* relaxed: a superfluous wake-up does no harm */
    rt_store_rlx(&rt_sysmonnote.polls, false);
    rt_netpoll_give();
}

/* Sleeps until the given time, its first timer, or a change of the sequence by
   rt_sysmon_wake(). Sleeps in the poller if polls is true and no other thread has taken
   it. */
static void sysmon_sleep_until(uint32_t sequence, int64_t until, bool polls) {
    rt_store_rlx(&rt_sysmonnote.sleeps_until, until); /* relaxed: ordered by the fence */
    /* fence(sc): sleeps_until before the timer. Pairs with the fence in
       rt_sysmon_wake_before(). */
    rt_fence_sc();
    /* relaxed: ordered by the fence */
    int64_t timer_ns = rt_load_rlx(&rt_sched.sysmon_clock.next_ns);
    until = rt_earlier(until, timer_ns);
    if (polls && rt_netpoll_take()) {
        sleep_polling(sequence, until);
        return;
    }
    /* The P that has taken the poller may compute next. */
    if (polls && rt_netpoll_sleeper() == RT_NETPOLL_NO_P) {
        int64_t soon_ns = os_now() + POLL_TICK_MIN_NS;
        until = rt_earlier(until, soon_ns);
    }
    os_futex_wait(&rt_sysmonnote.sequence, sequence, until);
}

/* True if the next look can wait for a poke. */
static bool may_go_dormant(void) {
    if (!rt_pidle_all() || have_failures() || rt_sched.config.debug.schedtrace_ms > 0) {
        sysmon.idle_ticks = 0;
        return false;
    }
    return ++sysmon.idle_ticks > IDLE_TICKS_MAX;
}

/* Returns when to poll: at once if no P has polled for long. While the Ps poll, the
   interval doubles at each look. */
static int64_t plan_polling(int64_t now) {
    int64_t stale_ns = rt_netpoll_stale_ns();
    if (stale_ns <= now || stale_ns == OS_NEVER) {
        sysmon.poll_tick_ns = POLL_TICK_MIN_NS;
        return stale_ns;
    }
    if (sysmon.poll_tick_ns < POLL_TICK_MAX_NS) {
        sysmon.poll_tick_ns *= 2;
    }
    return now + sysmon.poll_tick_ns;
}

/* Sleeps until poked, or until memory can be given back or the deadlock check is due. */
static void sleep_dormant(uint32_t sequence) {
    rt_store_rlx(&rt_sysmon_dormant, 1); /* relaxed: ordered by the fence */
    /* fence(sc): dormant before the idle word. Pairs with the fence in
       rt_sysmon_poke(). */
    rt_fence_sc();
    if (rt_pidle_all() && !have_failures()) {
        int64_t until = rt_deadlock_look_ns();
        if (sysmon.scavenge_more) {
            until = rt_earlier(until, sysmon.next_scavenge_ns);
        }
        /* Woken by rt_sysmon_wake(), which changes the sequence first. */
        sysmon_sleep_until(sequence, until, rt_netpoll_wanted());
    }
    rt_store_rlx(&rt_sysmon_dormant, 0); /* relaxed: a superfluous poke does no harm */
}

/* Sleeps until the time that next_look_ns() has returned, or until stale_ns, and then
   polls. */
static void sleep_awake(uint32_t sequence, int64_t now, int64_t until) {
    int64_t stale_ns = plan_polling(now);
    bool is_long = until - now > TICK_MAX_NS;
    bool ignores_calls = until - now > DROWSY_NS && !rt_retake_watches_calls();
    /* relaxed: ordered by the fence */
    rt_store_rlx(&rt_sysmon_drowsy, (ignores_calls ? RT_SYSMON_IGNORES_CALLS : 0) |
                                        (is_long ? RT_SYSMON_LONG : 0));
    if (is_long) {
        /* fence(sc): drowsy before the idle word. Pairs with the fence in
           rt_sysmon_poke_long(). */
        rt_fence_sc();
        until = is_p_idle_beside_others() ? now + TICK_MIN_NS : until;
    }
    sysmon_sleep_until(sequence, stale_ns > now && stale_ns < until ? stale_ns : until,
                       stale_ns <= now);
    /* relaxed, both: hints. 0: a thread has woken sysmon. */
    if (is_long && rt_load_rlx(&rt_sysmon_drowsy) == 0) {
        sysmon.busy_since_ns = now;
    }
    rt_store_rlx(&rt_sysmon_drowsy, 0);
}

static void sysmon_main(void *unused) {
    (void)unused;
    os_timer_slack_remove();
    os_thread_shorten_slice(); /* see 'Delay' */
    for (;;) {
        /* acquire: a thread that changed the sequence set the stop flag before. Pairs
           with rt_sysmon_wake(). */
        uint32_t sequence = rt_load_acq(&rt_sysmonnote.sequence);
        if (rt_load_acq(&sysmon.stop) != 0) {
            return;
        }
        int64_t now = os_now();
        fire_timers(now); /* first: the other duties can wait */
        bool rescued = rescue_next(now);
        rescue_timers(now);
        int64_t retake_ns = rt_retake_look(now, &rescued);
        int64_t guard_ns = rt_dump_guard(now);
        retake_ns = rt_earlier(retake_ns, guard_ns);
        end_slices(now);
        if (have_failures() || rt_newm_was_refused(now - RT_STUCK_NS)) {
            watch_lack(now); /* before it queues them again, and none is counted */
        }
        retry_failures(now);
        follow_limits(now);
        scavenge(now);
        schedtrace_print_due(now);
        rt_deadlock_look(now);
        if (stacks_make_batch()) {
            continue;
        }
        if (guard_ns == OS_NEVER && may_go_dormant()) {
            sleep_dormant(sequence);
        } else {
            bool mixed = note_mixed(now, rescued);
            sleep_awake(sequence, now, next_look_ns(now, mixed, retake_ns));
        }
    }
}

int rt_sysmon_start(void) {
    int64_t now = os_now();
    sysmon.limits = rt_cpu_reader_make(rt_sched.config.cgroup_root);
    if (sysmon.limits == NULL) {
        return -ENOMEM;
    }
    rt_store_rlx(&sysmon.stop, 0); /* relaxed, all: published by starting the thread */
    rt_store_rlx(&rt_sysmonnote.helping, 0);
    sysmon.tick_ns = TICK_MIN_NS;
    sysmon.poll_tick_ns = POLL_TICK_MIN_NS;
    sysmon.busy_since_ns = now;
    sysmon.idle_ticks = 0;
    sysmon.scavenge_more = false;
    rt_store_rlx(&rt_sysmonnote.sleeps_until, 0);
    sysmon.next_retry_ns = now;
    sysmon.late_ns = LATE_NS;
    sysmon.habits_ns = now;
    sysmon.habit_period = 1;
    sysmon.found_late_ns = 0;
    sysmon.threads = sysmon.stacks = (struct watch){.reported_ns = 0};
    sysmon.next_follow_ns = now + FOLLOW_NS;
    sysmon.next_scavenge_ns = now + SCAVENGE_NS;
    sysmon.next_period_ns = sysmon.next_scavenge_ns;
    sysmon.next_trace_ns = now + rt_sched.config.debug.schedtrace_ms * RT_MS;
    for (uint32_t i = 0; i < rt_sched_ps_end(); i++) {
        rt_sched.ps[i].sysmontick.slice_began_ns = now;
    }
    rt_retake_start();
    int error = os_thread_start(&sysmon.thread, "tuco-sysmon", sysmon_main, NULL);
    if (error != 0) {
        rt_free(sysmon.limits);
    }
    return error;
}

void rt_sysmon_stop(void) {
    /* release: the stop flag before the sequence. Pairs with the acquire in
       sysmon_main(). */
    rt_store_rel(&sysmon.stop, 1);
    rt_sysmon_wake();
    os_thread_join(sysmon.thread); /* terminates: sysmon never runs the program's code */
    rt_free(sysmon.limits);
}
