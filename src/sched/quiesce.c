/* SPDX-License-Identifier: MIT */
/* What happens when nothing happens any more. */
#include "sched/quiesce.h"
#include "base/die.h"
#include "sched/dump.h"
#include "sched/find.h"
#include "sched/foreign.h"
#include "sched/idle.h"
#include "sched/sched.h"
#include "sched/spawn.h"

#include <errno.h>

/*
 * Nothing can happen when all of this holds:
 *   - every P is idle and nobody searches: the idle word
 *   - no goroutine is queued, and none waits for a stack
 *   - no foreign thread is inside a call that could wake somebody, and none has announced
 *     itself
 *   - no timer is armed; tuco_stop() does not ask that, since a timer without a goroutine
 *     is nothing that it would wait for
 * Once it holds, only a goroutine or a foreign thread could change it.
 *
 * Timers fire by themselves, perhaps just while all of this is looked at, and their
 * goroutines are in the queues when the look at those is over, and no longer armed when the
 * timers are looked at. So firings are counted before and after: if there was one, whoever
 * fired goes to sleep later, or is the monitor, and calls again.
 *
 * The foreign counts are read first. A foreign thread that was inside and has left by
 * then has done all it did before, and so has taken a P out of the idle ones if it made
 * anything runnable; one that comes later was outside, and outside does not count: that
 * is the rule told to the program in tuco/go.h.
 *
 * Who calls. Each of these facts becomes true by somebody's act, and each of these calls
 * rt_quiesce_check() afterwards: the M that goes to sleep or cannot start another
 * (idle.c), the foreign thread that leaves or parks (foreign.c), the monitor that has
 * fired its last timer (monitor.c). A timer is disarmed by a goroutine, whose M goes to
 * sleep later, or by a foreign thread, which leaves; and fired by an M or the monitor. A
 * goroutine that gets its stack after all is queued, and so runs on an M that goes to
 * sleep later. The lifecycle lock makes the last two of them see each other: whoever takes
 * it second sees all.
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

void rt_quiesce_check(void) {
    rt_lock(&rt_sched.lifecycle);
    if (rt_phase_now() != RT_RUNNING) {
        /* A foreign thread that left when the runtime ended: the Ps may be gone. Under the
           lock the end cannot begin. */
        rt_unlock(&rt_sched.lifecycle);
        return;
    }
    bool silent = rt_foreign_silent(); /* first: see the essay */
    uint32_t firings = rt_sched_timer_firings();
    rt_spawn_starving_lock();
    bool at_rest = rt_idle_all() && rt_find_pending(1) == 0 &&
                   rt_load_rlx(&rt_sched.starved) == 0; /* relaxed: under its lock */
    rt_spawn_starving_unlock();
    if (at_rest && rt_sched_has_main() && silent && !rt_sched_timers_armed() &&
        firings == rt_sched_timer_firings()) {
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
