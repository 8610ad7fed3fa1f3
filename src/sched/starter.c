/* SPDX-License-Identifier: MIT */
/* The thread that starts all others. */
#include "sched/starter.h"
#include "sched/idle.h"
#include "sched/sched.h"
#include "sched/spare.h"
#include "sched/thread.h"

#include <errno.h>

/*
 * Starting a thread allocates memory by the C library, and waits for its lock if need be.
 * The holder of that lock may be a goroutine that a signal has stopped, and that wants a P
 * before it can go on: so nobody who has a P may wait for it, nor the monitor, without
 * which no P becomes free. And a new thread inherits what its parent is like: an M that a
 * goroutine is wired to may have been changed by it.
 */

/* How soon it looks again for a thread that has left the runtime and not ended yet, or that
   may not be started yet: twice as late each time, because destructors of the program's may
   run there. */
#define PAUSE_MIN_NS ((int64_t)100 * 1000)
#define PAUSE_MAX_NS ((int64_t)10 * 1000 * 1000)

/* RT_STUCK_NS alone says nothing: the whole process may have been stopped meanwhile. So it
   has to have looked in vain this often, too. */
#define STUCK_LOOKS 20

/* In spare_wanted. */
#define SPARE_WANTED 1u
#define SPARE_NEEDED 2u /* a thread has long been asleep with a P that others wait for */

static struct {
    os_thread thread; /* who starts and stops it */

    /* Atomic: futex; changes when there is something to do. */
    rt_atomic(uint32_t) sequence;
    rt_atomic(uint32_t) stop;
    rt_atomic(uint32_t) spare_wanted;
    rt_atomic(uint32_t) on_the_way; /* threads that have not taken a P yet */

    bool runs;        /* who starts and stops it */
    int64_t pause_ns; /* its own: how soon it looks again */
} starter;

void rt_starter_wake(void) {
    /* sc: after what it is woken for, which it looks at after it has read the sequence. */
    rt_add_sc(&starter.sequence, 1);
    os_futex_wake(&starter.sequence, 1);
}

void rt_starter_want_spare(bool needed) {
    uint32_t wish = needed ? SPARE_NEEDED : SPARE_WANTED;
    /* acq_rel: one request, one wake-up; stronger than needed. */
    if ((rt_or_acqrel(&starter.spare_wanted, wish) & wish) == 0) {
        rt_starter_wake();
    }
}

/* Whether p has what nobody else comes to in time. It is in the caller's hands. */
static bool has_work(struct rt_p *p) {
    return rt_clock_is_armed(&p->clock) || rt_handoff_has_work(p);
}

/* There are as many threads as may be, and none is spare, though one may be in a moment, or
   may be about to end; those that sleep with an idle P are not needed there. If p has to do
   without one for long the program is at its end. */
static void wait_for_thread(struct rt_p *p) {
    int64_t now = os_now();
    if (!has_work(p)) {
        p->left_ns = now;
        p->left_looks = 0;
    } else if (++p->left_looks >= STUCK_LOOKS && now - p->left_ns >= RT_STUCK_NS) {
        rt_thread_exhausted();
    }
    struct rt_p *idle = rt_idle_claim();
    if (idle != NULL) {
        rt_handoff(idle);
    }
    rt_idle_put_back_wanted(p);
    /* fence(sc): the P before the list. Pairs with take_wanted_or_enlist() in spare.c. */
    rt_fence_sc();
    if (rt_spare_count() > 0) {
        rt_starter_wake(); /* it has come, and may have looked too early */
    }
}

/* If there is no thread for one there is none for the others. A P that an M had to leave
   needs one, or the goroutines in its queue may never run; one that was idle does not. At
   the end of the runtime none does. */
static void set_all_aside(int error) {
    struct rt_p *p;
    bool limited = error == -EUSERS && rt_phase_now() == RT_RUNNING;
    while ((p = rt_idle_take_wanted()) != NULL) {
        if (limited && p->left_ns != 0) {
            wait_for_thread(p);
            return;
        }
        p->left_ns = 0; /* before it is another's */
        rt_idle_set_aside(p);
    }
}

/* A thread for one of the Ps that want one, which it takes itself when it has begun: on its
   way it allocates, and so must not have a P. Returns 0, or why there is none. */
static int start_one(void) {
    rt_add_rlx(&starter.on_the_way, 1); /* relaxed: a count */
    int error = rt_thread_start();
    if (error != 0) {
        rt_sub_rlx(&starter.on_the_way, 1); /* relaxed: likewise */
        set_all_aside(error);
    }
    return error;
}

/* Ps get spare Ms, and threads are started for the others. */
static void serve(void) {
    struct rt_p *p;
    while (rt_spare_count() > 0 && (p = rt_idle_take_wanted()) != NULL) {
        int64_t left_ns = p->left_ns;
        p->left_ns = 0; /* before it is another's */
        if (!rt_spare_give(p, true)) {
            p->left_ns = left_ns;
            rt_idle_put_back_wanted(p);
        }
    }
    /* relaxed: a thread that has arrived has taken its P off the map before */
    while (rt_idle_wanted() > rt_load_rlx(&starter.on_the_way) && start_one() == 0) {
    }
}

static void start_spare(void) {
    /* acq_rel: before it is started, so that a later request is not lost. */
    uint32_t wish = rt_swap_acqrel(&starter.spare_wanted, 0);
    /* relaxed: a count */
    if (wish == 0 || rt_spare_count() > 0 || rt_load_rlx(&starter.on_the_way) > 0) {
        return;
    }
    int error = start_one();
    if (error == -EUSERS && (wish & SPARE_NEEDED) != 0 && rt_spare_count() == 0 &&
        rt_phase_now() == RT_RUNNING) {
        rt_thread_exhausted();
    }
}

/* Until when to sleep if nobody wakes it. After all else: a thread that ends later wakes it,
   and so does one that is spare. For those that may start no thread it looks again, too: a
   P that waits is never forgotten. */
static int64_t next_look(void) {
    /* relaxed: a count; who arrives wakes the starter */
    bool waits = rt_idle_wanted() > rt_load_rlx(&starter.on_the_way);
    if (!waits && !rt_thread_any_ended()) {
        starter.pause_ns = PAUSE_MIN_NS;
        return OS_NEVER;
    }
    int64_t until_ns = os_now() + starter.pause_ns;
    starter.pause_ns =
        starter.pause_ns * 2 < PAUSE_MAX_NS ? starter.pause_ns * 2 : PAUSE_MAX_NS;
    return until_ns;
}

static void starter_main(void *unused) {
    (void)unused;
    for (;;) {
        /* acquire: what it was woken for is seen if the change of the sequence is. Pairs
           with rt_starter_wake(). */
        uint32_t sequence = rt_load_acq(&starter.sequence);
        if (rt_load_acq(&starter.stop) != 0) {
            return;
        }
        rt_thread_try_join_ended();
        serve();
        start_spare();
        os_futex_wait(&starter.sequence, sequence, next_look());
    }
}

int rt_starter_start(void) {
    rt_store_rlx(&starter.stop, 0); /* relaxed, all: published by starting the thread */
    rt_store_rlx(&starter.spare_wanted, 0);
    rt_store_rlx(&starter.on_the_way, 0);
    starter.pause_ns = PAUSE_MIN_NS;
    int error = os_thread_start(&starter.thread, "tuco-starter", starter_main, NULL);
    starter.runs = error == 0;
    return error;
}

void rt_starter_arrived(void) {
    rt_sub_rlx(&starter.on_the_way, 1); /* relaxed: a count */
    if (rt_idle_wanted() > 0) {
        rt_starter_wake(); /* it may have counted on this one */
    }
}

void rt_starter_stop(void) {
    if (!starter.runs) {
        return;
    }
    starter.runs = false;
    /* release: before the change of the sequence. Pairs with the acquire in
       starter_main(). */
    rt_store_rel(&starter.stop, 1);
    rt_starter_wake();
    os_thread_join(starter.thread);
}
