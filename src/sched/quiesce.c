/* SPDX-License-Identifier: MIT */
/* What happens when nothing happens any more. */
#include "sched/quiesce.h"
#include "base/die.h"
#include "sched/dump.h"
#include "sched/find.h"
#include "sched/foreign.h"
#include "sched/idle.h"
#include "sched/poll.h"
#include "sched/sched.h"
#include "sched/spawn.h"

#include <errno.h>

/*
 * Nothing can happen when all of this holds:
 *   - every P is idle and nobody searches: the idle word
 *   - no goroutine is queued, none waits for a stack, and none is in a call that blocks
 *     its thread, or stopped by a signal
 *   - no foreign thread is inside a call that could wake somebody, and none has announced
 *     itself
 *   - nobody waits for a descriptor, nor is on the way back from it
 *   - no timer is armed; tuco_stop() does not ask that, since a timer without a goroutine
 *     is nothing that it would wait for
 * Once it holds, only a goroutine or a foreign thread could change it.
 *
 * Timers fire by themselves, perhaps just while all of this is looked at, and their
 * goroutines are in the queues when the look at those is over, and no longer armed when
 * the timers are looked at. So firings are counted before and after: if there was one,
 * whoever fired goes to sleep later, or is the monitor, and calls again.
 *
 * Waits for descriptors end by themselves as well, and who waited may be at work already
 * when they are looked at. So those that have ended are counted before all else, and
 * those that have begun after it: if these are as many, nobody has waited in between.
 *
 * The foreign counts are read first. A foreign thread that was inside and has left by
 * then has done all it did before, and so has taken a P out of the idle ones if it made
 * anything runnable; one that comes later was outside, and outside does not count: that
 * is the rule told to the program in tuco/go.h.
 *
 * Who calls. Each of these facts becomes true by somebody's act, and each of these calls
 * rt_quiesce_check() afterwards: the M that goes to sleep (rest.c) or cannot start
 * another (idle.c), the searcher that has handed its P on (find.c), the foreign thread
 * that leaves or parks (foreign.c), the monitor that has fired its last timer (monitor.c)
 * or taken no P after all (retake.c), and the thread whose goroutine is back in a queue
 * (park.c). A timer is disarmed by a goroutine, whose M goes to sleep later, or by a
 * foreign thread, which leaves; and fired by an M or the monitor. A goroutine that gets
 * its stack after all is queued, and so runs on an M that goes to sleep later. The
 * lifecycle lock makes the last two of them see each other: whoever takes it second sees
 * all.
 */

/* Lifecycle lock. A futex: tuco_stop() sleeps on it while it is WAITING. */
static struct { rt_atomic(uint32_t) state; } stopper;

enum { NOBODY, WAITING, REACHED };

static _Noreturn void report_deadlock(void) {
    rt_die_begin();
    bool main_left = rt_load_rlx(&rt_sched.main_exited) != 0; /* relaxed: at rest */
    if (main_left && rt_sched_live() == 0) {
        rt_print("fatal error: no goroutines (main called runtime.Goexit) - deadlock!\n");
    } else {
        rt_print("fatal error: all goroutines are asleep - deadlock!\n\n");
        rt_dump_goroutines(2 /* standard error */);
    }
    os_exit(RT_EXIT_STATUS);
}

/* Goroutines whose P was taken, and those that stepped aside, come back by themselves.
   One may leave, or come back, just while the rest is looked at: so this is asked before
   and after, and has to be the same, with nobody away. */
static uint64_t away_now(void) {
    /* acquire: where those went that are back is seen. Pairs with rt_sched_return(). */
    return rt_load_acq(&rt_sched.away);
}

/* A P that waits for a thread may have one in its next slot, which rt_find_pending() does
   not count. */
static bool any_is_next(void) {
    for (uint32_t i = 0; i < rt_sched_ps_end(); i++) {
        /* relaxed: ordered by the idle word, where the P has been counted since */
        if (rt_load_rlx(&rt_sched.ps[i].runq.next) != NULL) {
            return true;
        }
    }
    return false;
}

void rt_quiesce_check(void) {
    rt_lock(&rt_sched.lifecycle);
    if (rt_phase_now() != RT_RUNNING) {
        /* A foreign thread that left when the runtime ended: the Ps may be gone. Under
           the lock the end cannot begin. */
        rt_unlock(&rt_sched.lifecycle);
        return;
    }
    uint64_t polls_ended = rt_poll_waits_ended(); /* before all else: see the essay */
    bool silent = rt_foreign_silent();            /* first: see the essay */
    uint32_t firings = rt_sched_timer_firings();
    uint64_t away = away_now();
    rt_spawn_starving_lock();
    bool at_rest = rt_idle_all() && rt_find_pending(1) == 0 && !any_is_next() &&
                   rt_load_rlx(&rt_sched.starved) == 0; /* relaxed: under its lock */
    rt_spawn_starving_unlock();
    at_rest = at_rest && away % RT_AWAY_DEPARTED == 0 && away == away_now();
    if (at_rest && rt_sched_has_main() && silent && !rt_sched_timers_armed() &&
        firings == rt_sched_timer_firings() && !rt_poll_awaited(polls_ended)) {
        report_deadlock();
    }
    /* relaxed, here and below: under the lock; the futex re-checks. */
    if (at_rest && rt_load_rlx(&stopper.state) == WAITING && rt_sched_live() == 0) {
        rt_store_rlx(&stopper.state, REACHED);
        os_futex_wake(&stopper.state, 1);
    }
    rt_unlock(&rt_sched.lifecycle);
}

bool rt_quiesce_wait(int64_t deadline_ns) {
    rt_lock(&rt_sched.lifecycle);
    bool reached = rt_sched_live() == 0;
    rt_store_rlx(&stopper.state, WAITING);
    rt_unlock(&rt_sched.lifecycle);
    while (!reached) {
        /* Woken by rt_quiesce_check(). */
        int r = os_futex_wait(&stopper.state, WAITING, deadline_ns);
        rt_lock(&rt_sched.lifecycle);
        if (rt_load_rlx(&stopper.state) == REACHED) {
            /* A foreign thread may have started another since. */
            reached = rt_sched_live() == 0;
            rt_store_rlx(&stopper.state, WAITING);
        }
        rt_unlock(&rt_sched.lifecycle);
        if (!reached && r == -ETIMEDOUT) {
            break;
        }
    }
    rt_store_rlx(&stopper.state, NOBODY);
    return reached;
}
