/* SPDX-License-Identifier: MIT */
/* Foreign threads, which the runtime did not start. */
#include "sched/thread/foreign.h"
#include "sched/syscall/enter.h"
#include "sched/thread/fork.h"
#include "base/die.h"
#include "sched/thread/pidle.h"
#include "sched/deadlock.h"
#include "debug/sanitize.h"
#include "sched/sched.h"
#include "sched/claim.h"
#include "sched/tuning.h"

#include <errno.h>

/* Atomic: see foreign.h. */
static struct {
    rt_atomic(uint32_t) inside;
    rt_atomic(uint32_t) active; /* futex: rt_foreign_close() sleeps on it */
    rt_atomic(uint32_t) closed; /* futex: threads that want to enter sleep on it */
    /* threads that will come by themselves, for example at a deadline */
    rt_atomic(uint32_t) expected;
    rt_atomic(uint32_t) operating; /* threads that use a descriptor */
    /* threads that wait in a call, or have just been woken */
    rt_atomic(uint32_t) waiting;
} foreign RT_CACHE_ALIGNED;

/* One thread less is active. If it was the last one, the last M to sleep may have held
   back the report of a deadlock for it. */
static void deactivate(void) {
    /* sc: what the call did comes before. Pairs with rt_foreign_silent() and
       rt_foreign_close(). */
    if (rt_sub_sc(&foreign.active, 1) != 1) {
        return;
    }
    /* fence(sc): active before the idle word and closed. Pairs with the fence in
       rt_spinning_give_up(), which changes the word before rt_checkdead_after() reads
       active; and with the fence in rt_foreign_close(). */
    rt_fence_sc();
    if (rt_load_rlx(&foreign.closed) != 0) { /* relaxed: ordered by the fence */
        os_futex_wake(&foreign.active, 1);
    } else if (rt_sched_has_main() && rt_phase_now() == RT_RUNNING && rt_pidle_all()) {
        rt_checkdead();
    }
}

static void foreign_leave(void) {
    deactivate();
    rt_sub_sc(&foreign.inside, 1); /* last: see rt_foreign_none_inside() */
}

/* Public functions call each other, and the entry may be closed between two calls: only
   the outermost one enters. */
static __thread uint32_t depth;

/*
 * Entry against the end of the runtime.
 *
 *     enter()                             rt_foreign_close()
 *     [S] active + 1 (RMW)                [S] closed := 1
 *         fence(sc)                           fence(sc)
 *     [L] closed                          [L] active
 *
 * One sees the other: a thread that finds the entry closed leaves and waits until it is
 * open; the end of the runtime waits for the threads that it sees active.
 */
static void enter(void) {
    for (;;) {
        /* sc: inside before all else. Pairs with the acquire in
           rt_foreign_none_inside(). */
        rt_add_sc(&foreign.inside, 1);
        rt_add_sc(&foreign.active, 1);
        /* fence(sc): active before closed. Pairs with the fence in rt_foreign_close(). */
        rt_fence_sc();
        if (rt_load_rlx(&foreign.closed) == 0) { /* relaxed: ordered by the fence */
            return;
        }
        foreign_leave();
        os_futex_wait(&foreign.closed, 1, OS_NEVER); /* woken by rt_foreign_open() */
    }
}

void rt_foreign_enter_slow(void) {
    if (depth++ == 0) {
        rt_fork_check();
        enter();
    }
}

void rt_foreign_leave_slow(void) {
    if (--depth == 0) {
        foreign_leave();
    }
}

bool rt_foreign_silent(void) {
    /* acquire: if the count is 0, what those calls did is visible. Pairs with
       deactivate(). */
    return rt_load_acq(&foreign.active) == 0 && rt_load_acq(&foreign.expected) == 0 &&
           rt_load_acq(&foreign.operating) == 0;
}

void rt_foreign_close(void) {
    rt_swap_sc(&foreign.closed, 1);
    /* fence(sc): closed before active. Pairs with the fences in enter() and
       deactivate(). */
    rt_fence_sc();
    uint32_t active;
    /* acquire: what those calls did is visible. Pairs with deactivate(). */
    while ((active = rt_load_acq(&foreign.active)) != 0) {
        /* woken by the last active thread */
        os_futex_wait(&foreign.active, active, OS_NEVER);
    }
}

void rt_foreign_open(void) {
    /* sc: before the wake-up; threads in enter() read it again */
    rt_swap_sc(&foreign.closed, 0);
    os_futex_wake(&foreign.closed, INT32_MAX);
}

/* The caller itself is not inside: the program calls fork(). */
void rt_foreign_forget_others(void) {
    /* relaxed, all: there is no other thread */
    rt_store_rlx(&foreign.closed, 0); /* another thread of the parent was ending a run */
    rt_store_rlx(&foreign.inside, 0);
    rt_store_rlx(&foreign.active, 0);
    rt_store_rlx(&foreign.expected, 0);
    rt_store_rlx(&foreign.operating, 0);
    rt_store_rlx(&foreign.waiting, 0);
}

uint32_t rt_foreign_waiting(void) {
    /* acquire: before rt_foreign_silent(). Pairs with the RMW in rt_foreign_park(). */
    return rt_load_acq(&foreign.waiting);
}

bool rt_foreign_none_inside(void) {
    /* acquire: what those threads did is visible. Pairs with the RMW in foreign_leave(). */
    return rt_load_acq(&foreign.inside) == 0;
}

/* A wait cannot fail, so it waits for memory too. */
static struct rt_g *borrow_descriptor(void) {
    for (;;) {
        struct rt_gslot *slot = rt_gpool_get_shared();
        if (slot != NULL) {
            return rt_g_of(slot);
        }
        rt_atomic(uint32_t) never_woken = 0;
        os_futex_wait(&never_woken, 0, os_now() + RT_MEMORY_RETRY_NS);
    }
}

struct rt_g *rt_foreign_begin(void) {
    rt_foreign_enter_slow();
    struct rt_g *g = borrow_descriptor();
    g->flags = RT_G_FLAG_FOREIGN;
    /* relaxed: no other thread has it; a new slot is zero */
    rt_store_rlx(&g->slot.state, RT_G_DEAD);
    return g;
}

void rt_foreign_end(struct rt_g *g) {
    g->flags = 0;
    rt_gpool_put_shared(&g->slot);
    rt_foreign_leave_slow();
}

/* Sleeps until woken; at the deadline the thread tries to claim its own wait. */
static void sleep_until_woken(struct rt_g *g, uint32_t ticket, int64_t deadline_ns) {
    /* acquire: what the waker did is visible. Pairs with the release in
       rt_foreign_wake(). */
    while (rt_load_acq(&g->woken) == 0) {
        if (os_futex_wait(&g->woken, 0, deadline_ns) != -ETIMEDOUT) {
            continue;
        }
        if (rt_claim_try(g, ticket)) {
            rt_foreign_wake(g);
        }
        deadline_ns = OS_NEVER; /* a waker has won the claim, and is about to wake it */
    }
}

void rt_foreign_park(struct rt_g *g, rt_commit_fn *commit, void *arg, uint32_t ticket,
                     int64_t deadline_ns) {
    rt_store_rlx(&g->woken, 0); /* relaxed: published by commit */
    rt_gstatus_set(g, RT_G_DEAD, RT_G_WAITING);
    commit(NULL, g, arg);
    /* With a deadline the thread comes back by itself, and may wake goroutines then. */
    bool comes_back = deadline_ns != OS_NEVER;
    if (comes_back) {
        /* sc: before it stops being active. Pairs with rt_foreign_silent(). */
        rt_add_sc(&foreign.expected, 1);
    }
    /* sc: before it stops being active. Pairs with rt_foreign_waiting(). */
    rt_add_sc(&foreign.waiting, 1);
    deactivate(); /* this thread may have been the last that could wake a goroutine */
    sleep_until_woken(g, ticket, deadline_ns);
    rt_sub_sc(&foreign.waiting, 1); /* its waker has counted it as active */
    rt_race_take_over(g);
    if (comes_back) {
        rt_sub_sc(&foreign.expected, 1); /* its waker has counted it as active */
    }
    rt_gstatus_set(g, RT_G_RUNNABLE, RT_G_DEAD);
}

void rt_foreign_wait(rt_commit_fn *commit, void *arg) {
    struct rt_g *g = rt_foreign_begin();
    rt_foreign_park(g, commit, arg, RT_TICKET_ALONE, OS_NEVER);
    rt_foreign_end(g);
}

void rt_foreign_wake(struct rt_g *g) {
    /* The thread counts as active from here on, so that the waker may go to sleep. sc:
       pairs with rt_foreign_silent(). */
    rt_add_sc(&foreign.active, 1);
    rt_gstatus_set(g, RT_G_WAITING, RT_G_RUNNABLE);
    /* release: publishes the above. Pairs with the acquire in sleep_until_woken(). */
    rt_store_rel(&g->woken, 1);
    /* Safe because descriptors are never unmapped while a foreign thread is inside: g may
       belong to another thread by now, which then wakes up for nothing and checks
       again. */
    os_futex_wake(&g->woken, 1);
}

void rt_foreign_operate(void) {
    rt_add_sc(&foreign.operating, 1); /* sc: pairs with rt_foreign_silent() */
}

void rt_foreign_rest(void) {
    if (rt_sub_sc(&foreign.operating, 1) == 1) {
        rt_enter(); /* rt_leave() repeats the deadlock check */
        rt_leave();
    }
}

void rt_foreign_expect(void) {
    rt_add_sc(&foreign.expected, 1); /* sc: pairs with rt_foreign_silent() */
}

void rt_foreign_expect_no_more(void) {
    if (rt_sub_sc(&foreign.expected, 1) == 1) {
        rt_enter(); /* rt_leave() repeats the deadlock check */
        rt_leave();
    }
}
