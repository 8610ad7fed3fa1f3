/* SPDX-License-Identifier: MIT */
/* checkdead: detects that nothing can happen any more. */
#include "sched/deadlock.h"
#include "base/die.h"
#include "debug/dump.h"
#include "sched/pending.h"
#include "sched/thread/foreign.h"
#include "sched/thread/pidle.h"
#include "sched/sysmon/sysmonnote.h"
#include "sched/netpoll/pollwait.h"
#include "debug/sanitize.h"
#include "sched/sched.h"
#include "sched/starved.h"
#include "sched/tuning.h"

#include <errno.h>

/*
 * Nothing can happen when all of this holds:
 *   - every P is idle and no M is spinning: the idle word
 *   - no goroutine is queued, none waits for a stack, none is in a blocking call of its
 *     thread, and none was preempted by a signal
 *   - no foreign thread is inside a call that could wake a goroutine, and the runtime
 *     itself expects none
 *   - no goroutine waits for a descriptor or is just returning from such a wait
 *   - no timer is armed. tuco_stop() does not require this: it waits for goroutines only
 * Once it holds, only a goroutine or a foreign thread could change it.
 *
 * Timers fire by themselves, perhaps during the check: their goroutines may reach the
 * queues after the check has looked there, and the timers may be gone before the check
 * looks at them. So firings are counted before and after. If there was one, the thread
 * that fired it calls rt_checkdead() again: an M when it goes to sleep, or sysmon.
 *
 * Waits for descriptors end by themselves as well, and the waiter may already run when the
 * check looks. So the check reads the number of ended waits before all else and the number
 * of begun waits after all else: if both are equal, there was no waiter in between.
 *
 * Taken meanwhile. ('Taken meanwhile') The last spinning M counts its P idle, looks at the
 * queues once more, and takes its P back if it finds a goroutine. In between all Ps count
 * as idle although one is queued. If the check reads the idle word then, and the queues
 * after the M has emptied them, it sees neither. So it reads the idle word again, and the
 * number of switches before and after: the M has taken its P back before it takes the
 * goroutine, and if it is idle again, it has counted a switch before that.
 *
 * The foreign counts are read first. If a foreign thread has left by then, all that it did
 * is visible: if it made a goroutine runnable, a P is no longer idle. A foreign thread that
 * enters later was outside: see 'Other threads'.
 *
 * Callers. Each of these conditions becomes true by an action of some thread, which then
 * calls rt_checkdead(): the M that goes to sleep (stopm.c), the thread that makes a P
 * idle without an M, or the starter if it cannot start a thread (wakep.c), the spinning M
 * that has handed its P on (findrunnable.c), the thread that retires a P (procresize.c),
 * the foreign thread that leaves or parks (foreign.c), sysmon when it has fired its last
 * timer (sysmon.c) or failed to take a P (retake.c), and the thread that queues a
 * detached goroutine (park.c). A timer is fired by an M or sysmon, or disarmed by a
 * goroutine, whose M goes to sleep later, or by a foreign thread, which leaves. A
 * goroutine that gets its stack after all is queued and runs on an M that goes to sleep
 * later. The lifecycle lock orders the last two callers: the second sees everything.
 *
 * Cheap checks first. ('Cheap checks first') The full check reads all Ps, and an M calls it
 * whenever it is the last to go to sleep: thousands of times a second in a program that
 * sleeps and wakes. One reason against a deadlock is enough, so reasons that cost one load
 * come first: a foreign thread, a detached goroutine, a timer of sysmon's, and a timer or
 * descriptor that is awaited on the P that has just become idle or on the P that gave the
 * last reason. If that P has none any more, the check looks for another P and remembers it,
 * so a program that waits for one thing while others come and go has its Ps walked once.
 * The check reads reasons without their locks, so one may be gone at the end of the check.
 * The thread that has removed it then calls rt_checkdead(), waits for the lifecycle lock,
 * and checks again without it.
 */

/*
 * Other threads. ('Other threads') A thread that the runtime does not know may wake a
 * goroutine later. So a deadlock is reported only if the process has no threads besides the
 * Ms, the helpers and foreign threads that wait in calls of the library; the kernel reports
 * how many threads there are. All of these sleep, so none can start another. A thread that
 * is just beginning or ending as an M counts as unknown; sysmon checks again soon. An
 * emulator or a sanitizer may have threads of its own: if the C library knows only one
 * thread when the runtime first starts, all others are such threads. One of these may be a
 * thread of the program that the C library has joined and the kernel still counts. So they
 * are remembered by their ids, and each check counts those that still exist: if it counted
 * one that is gone, it would mistake a thread of the program for it. Later starts do not
 * look again.
 *
 * While there are unknown threads sysmon checks again, after twice the time each time: they
 * may have ended. In between the kernel is not asked, however often all goroutines are
 * asleep.
 */
#define HELPERS 2 /* sysmon and the starter thread */

/* Threads of an emulator beyond this number count as unknown: then no deadlock is
   reported. */
#define UNSEEN_MAX 8

/* Lifecycle lock: all goroutines are asleep, but unknown threads exist. */
static struct {
    int64_t since_ns;
    int64_t again_ns;  /* time between checks; 0: not all are asleep */
    uint64_t switches; /* of all Ps: if it has changed, a goroutine has run */
    bool reported;
    bool looked;            /* for unseen threads, at the first start */
    int unseen[UNSEEN_MAX]; /* ids: they were neither the program's nor the runtime's */
    int unseen_end;
    int ignored; /* see rt_deadlock_ignore_threads() */

    /* Atomic: when sysmon checks again; OS_NEVER: never. Written under the lock. */
    rt_atomic(int64_t) look_ns;
} doubt = {.look_ns = OS_NEVER};

/* Atomic: written under the lifecycle lock, except for NO_STOPPER. A futex: tuco_stop()
   sleeps on it while it is WAITING. */
static struct { rt_atomic(uint32_t) state; } stopper;

enum { NO_STOPPER, WAITING, REACHED };

static _Noreturn void report_deadlock(void) {
    rt_die_begin();
    bool main_left = rt_load_rlx(&rt_sched.main_exited) != 0; /* relaxed: all is idle */
    if (main_left && rt_sched_live() == 0) {
        rt_print("fatal error: no goroutines (main called runtime.Goexit) - deadlock!\n");
    } else {
        rt_print("fatal error: all goroutines are asleep - deadlock!\n\n");
        rt_dump_goroutines(2 /* standard error */);
    }
    rt_die_end();
}

static void report_doubt(int others) {
    if (others > 0) {
        rt_print("tuco: all goroutines are asleep; %d other threads could wake them\n\n",
                 others);
    } else {
        rt_print("tuco: all goroutines are asleep; other threads cannot be counted\n\n");
    }
    rt_dump_goroutines(2 /* standard error */);
}

static void doubt_locked(int others) {
    if (others == -EAGAIN) {
        return;
    }
    int64_t now = os_now();
    uint64_t switches = rt_sched_switches();
    if (doubt.again_ns == 0 || switches != doubt.switches) {
        doubt.since_ns = now;
        doubt.again_ns = RT_CHECKDEAD_MIN_NS;
        doubt.switches = switches;
        doubt.reported = false;
    } else if (doubt.again_ns < RT_CHECKDEAD_MAX_NS) {
        doubt.again_ns *= 2;
    }
    if (rt_sched.config.debug.deadlock && !doubt.reported &&
        now - doubt.since_ns >= RT_CHECKDEAD_QUIET_NS) {
        doubt.reported = true;
        report_doubt(others);
    }
    rt_store_rlx(&doubt.look_ns, now + doubt.again_ns); /* relaxed: the lock is held */
    rt_sysmon_wake();
}

/* Returns how many threads that are neither the program's nor the runtime's are counted
   by the kernel. Called after os_thread_count(): a thread that exists now was counted. */
static int count_unseen(void) {
    int count = RT_TSAN; /* TSan's own thread, which the C library counts too */
    for (int i = 0; i < doubt.unseen_end; i++) {
        count += os_thread_exists(doubt.unseen[i]);
    }
    return count;
}

/* Returns how many threads could wake a goroutine. Below 0: unknown, or sysmon will check
   again anyway (-EAGAIN). Counts all threads first, then the waiting foreign ones, then
   checks that none of these was woken. What a thread did before it stopped being counted is
   visible to the checks that come after this one. */
static int others_locked(void) {
    if (rt_load_rlx(&doubt.look_ns) != OS_NEVER) { /* relaxed: the lock is held */
        return -EAGAIN;
    }
    int count = os_thread_count();
    int known = (int)(rt_sched_ms_locked() + HELPERS + rt_foreign_waiting());
    known += count_unseen() + doubt.ignored;
    if (count < 0) {
        return count;
    }
    return count <= known ? !rt_foreign_silent() : count - known;
}

/* Detached goroutines, and those that a signal has preempted, come back by themselves. One
   may detach or attach during the check, so this is read before and after: both must be
   equal and count none. */
static uint64_t detached_now(void) {
    /* acquire: sees where attached goroutines went. Pairs with rt_sched_attach(). */
    return rt_load_acq(&rt_sched.detached);
}

/* A P that waits for a thread may have a G in its runnext, which rt_pending_count()
   does not count. */
static bool any_runnext(void) {
    for (uint32_t i = 0; i < rt_sched_ps_end(); i++) {
        /* relaxed: ordered by the idle word, in which the P was counted since */
        if (rt_load_rlx(&rt_sched.ps[i].runq.runnext) != NULL) {
            return true;
        }
    }
    return false;
}

/* Whether p rules out a deadlock: a timer is armed in its wheel, or the last descriptor
   that was waited for on it still is. */
static bool p_rules_out_deadlock(const struct rt_p *p) {
    return rt_clock_is_armed(&p->clock) || rt_netpoll_awaited_on(p);
}

/* Lifecycle lock: id of the P that gave the last reason. */
static uint32_t reason_p;

/* Looks for a P that gives a reason, and remembers it. */
static bool walk_ps_for_reason_locked(void) {
    uint32_t made = rt_sched_made();
    for (uint32_t i = 0; i < made; i++) {
        if (p_rules_out_deadlock(&rt_sched.ps[i])) {
            reason_p = i;
            return true;
        }
    }
    return false;
}

static bool find_reason_locked(const struct rt_p *p) {
    if (p != NULL && p_rules_out_deadlock(p)) {
        reason_p = p->id;
        return true;
    }
    if (rt_clock_is_armed(&rt_sched.sysmon_clock) ||
        (reason_p < rt_sched_made() && p_rules_out_deadlock(&rt_sched.ps[reason_p]))) {
        return true;
    }
    return walk_ps_for_reason_locked();
}

/* What remains to be confirmed after the cheap checks. */
struct suspicion {
    bool deadlock;
    bool end; /* tuco_stop() may return */
};

static struct suspicion suspect_locked(const struct rt_p *p) {
    rt_assert_held(&rt_sched.lifecycle);
    bool silent = rt_foreign_silent(); /* first: see the top of the file */
    return (struct suspicion){
        .deadlock = rt_sched_has_main() && silent &&
                    detached_now() % RT_DETACH_EVENT == 0 && !find_reason_locked(p),
        /* relaxed: the lock is held */
        .end = rt_load_rlx(&stopper.state) == WAITING && rt_sched_live() == 0,
    };
}

/* The full check. */
static void confirm_locked(struct suspicion s) {
    /* before all else: see others_locked() */
    int others = s.deadlock ? others_locked() : 0;
    uint64_t polls_ended = rt_netpoll_waits_ended(); /* before what follows: see above */
    uint32_t firings = rt_sched_timer_firings();
    uint64_t detached = detached_now();
    uint64_t switches = rt_sched_switches();
    /* fence(sc): the switches before the idle word. Pairs with the sc in
       rt_pidle_come_back(): see 'Taken meanwhile'. */
    rt_fence_sc();
    rt_starved_lock();
    /* relaxed: the lock of starved is held */
    bool at_rest = rt_pidle_all() && rt_pending_count(1) == 0 && !any_runnext() &&
                   rt_load_rlx(&rt_sched.starved) == 0;
    rt_starved_unlock();
    at_rest = at_rest && detached % RT_DETACH_EVENT == 0 && detached == detached_now();
    at_rest = at_rest && rt_pidle_all() && switches == rt_sched_switches();
    if (at_rest && s.deadlock && !rt_sched_timers_armed() &&
        firings == rt_sched_timer_firings() && !rt_netpoll_awaited(polls_ended)) {
        if (others == 0) {
            report_deadlock();
        }
        doubt_locked(others);
    }
    if (at_rest && s.end && rt_sched_live() == 0) {
        rt_store_rlx(&stopper.state, REACHED); /* relaxed: as in rt_deadlock_wait() */
        os_futex_wake(&stopper.state, 1);
    }
}

void rt_checkdead(void) {
    rt_checkdead_after(NULL);
}

/* A foreign thread may call this when the runtime has ended and the Ps are gone. The
   runtime cannot begin to end while the lock is held. */
static void check_locked(const struct rt_p *p) {
    if (rt_phase_now() == RT_RUNNING) {
        struct suspicion s = suspect_locked(p);
        if (s.deadlock || s.end) {
            confirm_locked(s);
        }
    }
}

void rt_checkdead_after(const struct rt_p *p) {
    rt_lock(&rt_sched.lifecycle);
    check_locked(p);
    rt_unlock(&rt_sched.lifecycle);
}

int64_t rt_deadlock_look_ns(void) {
    return rt_load_rlx(&doubt.look_ns); /* relaxed: the writer wakes sysmon */
}

void rt_deadlock_look(int64_t now_ns) {
    if (now_ns < rt_deadlock_look_ns()) {
        return;
    }
    rt_lock(&rt_sched.lifecycle);
    rt_store_rlx(&doubt.look_ns, OS_NEVER); /* relaxed: the lock is held */
    check_locked(NULL);
    if (rt_deadlock_look_ns() == OS_NEVER) {
        doubt.again_ns = 0; /* not all goroutines are asleep */
    }
    rt_unlock(&rt_sched.lifecycle);
}

void rt_deadlock_ignore_threads(int count) {
    rt_lock(&rt_sched.lifecycle);
    doubt.ignored += count;
    rt_unlock(&rt_sched.lifecycle);
}

void rt_deadlock_reset(void) {
    if (!doubt.looked) {
        doubt.looked = true;
        doubt.unseen_end = os_thread_is_alone() && !RT_TSAN
                               ? os_thread_list_others(doubt.unseen, UNSEEN_MAX)
                               : 0;
    }
    doubt.again_ns = 0;
    rt_store_rlx(&doubt.look_ns, OS_NEVER); /* relaxed: no other thread yet */
}

/* relaxed, all: the lock is held, except at the end; the futex compares again. */
bool rt_deadlock_wait(int64_t deadline_ns) {
    rt_lock(&rt_sched.lifecycle);
    bool reached = rt_sched_live() == 0;
    rt_store_rlx(&stopper.state, WAITING);
    rt_unlock(&rt_sched.lifecycle);
    while (!reached) {
        /* Woken by rt_checkdead(). */
        int r = os_futex_wait(&stopper.state, WAITING, deadline_ns);
        rt_lock(&rt_sched.lifecycle);
        if (rt_load_rlx(&stopper.state) == REACHED) {
            /* A foreign thread may have spawned a goroutine since. */
            reached = rt_sched_live() == 0;
            rt_store_rlx(&stopper.state, WAITING);
        }
        rt_unlock(&rt_sched.lifecycle);
        if (!reached && r == -ETIMEDOUT) {
            break;
        }
    }
    rt_store_rlx(&stopper.state, NO_STOPPER);
    return reached;
}
