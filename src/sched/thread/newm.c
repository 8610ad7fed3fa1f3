/* SPDX-License-Identifier: MIT */
/* The starter: the thread that starts all other threads of the runtime. */
#include "sched/thread/newm.h"
#include "sched/thread/newmhandoff.h"
#include "sched/thread/wakep.h"
#include "sched/sched.h"
#include "sched/thread/startm.h"
#include "sched/thread/thread.h"
#include "sched/tuning.h"

#include <errno.h>

/*
 * To start a thread, the C library allocates memory, and may wait for its lock. The holder
 * of that lock may be a goroutine that a signal has stopped, and that needs a P to go on.
 * So no thread that has a P may wait for the lock, nor sysmon, which frees Ps. Besides, a
 * new thread inherits attributes of its parent, and a goroutine that is locked to its M
 * may have changed those of the M. The requests come through newmhandoff.h.
 */

static struct {
    os_thread thread;         /* start and stop only */
    rt_atomic(uint32_t) stop; /* Atomic: written before the starter is woken to end */
    bool runs;                /* start and stop only */
    int64_t pause_ns;         /* starter only: until its next look */
    struct rt_lack lack;      /* starter only: of a spare M that is needed */
} starter;

/* The caller holds p. True if p has goroutines or armed timers that no other M comes to
   in time. */
static bool has_work(struct rt_p *p) {
    return rt_clock_is_armed(&p->clock) || rt_handoffp_has_work(p);
}

/* There are max_threads, and no M is spare; though one may become spare or end in a
   moment. An M that sleeps with an idle P is not needed there: its P is handed off, and
   the M is spare. If p has work and gets no M for RT_STUCK_NS, the process ends. */
static void wait_for_thread(struct rt_p *p) {
    if (!has_work(p)) {
        p->lack = (struct rt_lack){.seen_ns = 0};
    } else if (rt_lack_lasts(&p->lack)) {
        rt_thread_exhausted();
    }
    struct rt_p *idle = rt_pidleget();
    if (idle != NULL) {
        rt_handoffp(idle);
    }
    rt_pidle_put_back_wanted(p);
    /* fence(sc): the P before the list. Pairs with the fence in take_wanted_or_enlist()
       in startm.c. */
    rt_fence_sc();
    if (rt_midle_count() > 0) {
        rt_newm_wake(); /* an M has become spare, and may have looked too early */
    }
}

/* If there is no thread for one P, there is none for the others. All Ms may wait for
   their locked goroutines, and some of these may be runnable by now: they get the Ps. A P
   that its M had to leave needs a thread, or the goroutines in its queue may never run; a
   P that was idle does not. At the end of the runtime none does. */
static void set_all_aside(int error) {
    struct rt_p *p;
    bool runs = rt_phase_now() == RT_RUNNING;
    while ((p = rt_pidle_take_wanted()) != NULL) {
        if (runs && rt_pidle_give_to_lockedm(p)) {
            continue;
        }
        if (runs && error == -EUSERS && p->left_ns != 0) {
            wait_for_thread(p);
            return;
        }
        p->left_ns = 0; /* before p can have another owner */
        rt_pidle_set_aside(p);
    }
}

/* Starts a thread for one of the Ps that want one. The thread takes the P itself when it
   has begun: until then it allocates, and so must not hold a P. Returns 0, or the
   error. */
static int start_one(void) {
    rt_add_rlx(&rt_newmhandoff.on_the_way, 1); /* relaxed: a count */
    int error = rt_thread_start();
    /* relaxed: a time */
    rt_store_rlx(&rt_newmhandoff.refused_ns, error == -EAGAIN ? os_now() : 0);
    if (error != 0) {
        rt_sub_rlx(&rt_newmhandoff.on_the_way, 1); /* relaxed: a count */
        if (rt_midle_release_held_back()) {
            rt_newm_wake(); /* the starter serves the Ps once more */
        } else {
            set_all_aside(error);
        }
    }
    return error;
}

/* Gives wanting Ps to spare Ms, and starts threads for the others. */
static void starter_serve(void) {
    struct rt_p *p;
    while (rt_midle_count() > 0 && (p = rt_pidle_take_wanted()) != NULL) {
        int64_t left_ns = p->left_ns;
        p->left_ns = 0; /* before p can have another owner */
        if (!rt_startm(p, true)) {
            p->left_ns = left_ns;
            rt_pidle_put_back_wanted(p);
        }
    }
    /* relaxed: a thread takes its P out of the set 'wanted' before it counts itself as
       arrived */
    while (rt_pidle_wanted() > rt_load_rlx(&rt_newmhandoff.on_the_way) &&
           start_one() == 0) {
    }
}

static void start_spare(void) {
    /* acq_rel: clears the request before it is served, so that a later one is not lost.
       Pairs with rt_newm_want_spare(). */
    uint32_t wish = rt_swap_acqrel(&rt_newmhandoff.spare_wanted, 0);
    /* relaxed: a count */
    if (wish == 0 || rt_midle_count() > 0 ||
        rt_load_rlx(&rt_newmhandoff.on_the_way) > 0) {
        return;
    }
    int error = start_one();
    if (error == -EUSERS && (wish & RT_SPARE_NEEDED) != 0 && rt_midle_count() == 0 &&
        rt_phase_now() == RT_RUNNING && rt_lack_lasts(&starter.lack)) {
        rt_thread_exhausted();
    }
}

/* Returns until when to sleep. Called after all else: a thread that ends later wakes the
   starter, and so does an M that becomes spare. If no thread can be started the starter
   looks again by itself, so that a P that wants one is never forgotten. */
static int64_t next_look(void) {
    /* relaxed: a count; a thread that arrives wakes the starter */
    bool waits = rt_pidle_wanted() > rt_load_rlx(&rt_newmhandoff.on_the_way);
    if (!waits && !rt_thread_any_ended()) {
        starter.pause_ns = RT_STARTER_PAUSE_MIN_NS;
        return OS_NEVER;
    }
    int64_t until_ns = os_now() + starter.pause_ns;
    starter.pause_ns = starter.pause_ns * 2 < RT_STARTER_PAUSE_MAX_NS
                           ? starter.pause_ns * 2
                           : RT_STARTER_PAUSE_MAX_NS;
    return until_ns;
}

static void starter_main(void *unused) {
    (void)unused;
    for (;;) {
        /* acquire: what the starter was woken for. Pairs with rt_newm_wake(). */
        uint32_t sequence = rt_load_acq(&rt_newmhandoff.sequence);
        if (rt_load_acq(&starter.stop) != 0) {
            return;
        }
        rt_thread_try_join_ended();
        starter_serve();
        start_spare();
        os_futex_wait(&rt_newmhandoff.sequence, sequence, next_look());
    }
}

int rt_newm_start(void) {
    rt_store_rlx(&starter.stop, 0); /* relaxed, all: published by starting the thread */
    rt_store_rlx(&rt_newmhandoff.spare_wanted, 0);
    rt_store_rlx(&rt_newmhandoff.on_the_way, 0);
    rt_store_rlx(&rt_newmhandoff.refused_ns, 0);
    starter.pause_ns = RT_STARTER_PAUSE_MIN_NS;
    int error = os_thread_start(&starter.thread, "tuco-starter", starter_main, NULL);
    starter.runs = error == 0;
    return error;
}

void rt_newm_stop(void) {
    if (!starter.runs) {
        return;
    }
    starter.runs = false;
    /* release: the stop flag before the sequence. Pairs with the acquire in
       starter_main(). */
    rt_store_rel(&starter.stop, 1);
    rt_newm_wake();
    os_thread_join(starter.thread);
}
