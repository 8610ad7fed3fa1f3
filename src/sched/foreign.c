/* SPDX-License-Identifier: MIT */
/* Threads that the runtime did not start. */
#include "sched/foreign.h"
#include "sched/enter.h"
#include "sched/fork.h"
#include "base/die.h"
#include "sched/idle.h"
#include "sched/quiesce.h"
#include "sched/sched.h"
#include "sched/wait.h"

#include <errno.h>

/* Between tries to get memory for a wait that cannot fail. */
#define RETRY_NS 1000000

/* Atomic. */
static struct {
    rt_atomic(uint32_t) inside;
    rt_atomic(uint32_t) active; /* futex: rt_foreign_close() sleeps on it */
    rt_atomic(uint32_t) closed; /* futex: those who want to enter sleep on it */
    /* tuco_foreign_enter(), and those who wait with a deadline */
    rt_atomic(uint32_t) announced;
    rt_atomic(uint32_t) operating; /* those that use a descriptor */
} foreign RT_CACHE_ALIGNED;

/* One less is active. If that was the last one, the last M to sleep may have been
   silenced by it. */
static void deactivate(void) {
    /* sc: what the call did comes before, for rt_foreign_silent() and
       rt_foreign_close(). */
    if (rt_sub_sc(&foreign.active, 1) != 1) {
        return;
    }
    /* fence(sc): active before the idle word and closed. Pairs with rt_idle_give_up(),
       which changes the word before rt_quiesce_check() looks at active; and with
       rt_foreign_close(). */
    rt_fence_sc();
    if (rt_load_rlx(&foreign.closed) != 0) { /* relaxed: ordered by the fence */
        os_futex_wake(&foreign.active, 1);
    } else if (rt_sched_has_main() && rt_phase_now() == RT_RUNNING && rt_idle_all()) {
        rt_quiesce_check();
    }
}

static void leave(void) {
    deactivate();
    rt_sub_sc(&foreign.inside, 1); /* last: see rt_foreign_nobody() */
}

/* Public functions call each other, and the entry may be closed between two of them: only
   the outermost one enters. */
static __thread uint32_t depth;

/*
 * Entry against the end of the runtime.
 *
 *     rt_enter                    rt_foreign_close
 *     [S] active + 1 (RMW)                [S] closed := 1
 *         fence(sc)                           fence(sc)
 *     [L] closed                          [L] active
 *
 * One sees the other: a thread that finds the entry closed steps back and waits until it
 * is open; the end of the runtime waits for those it sees active.
 */
static void enter(void) {
    for (;;) {
        /* sc: inside before all else. Pairs with the acquire in rt_foreign_nobody(). */
        rt_add_sc(&foreign.inside, 1);
        rt_add_sc(&foreign.active, 1);
        /* fence(sc): active before closed. Pairs with rt_foreign_close(). */
        rt_fence_sc();
        if (rt_load_rlx(&foreign.closed) == 0) { /* relaxed: ordered by the fence */
            return;
        }
        leave();
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
        leave();
    }
}

bool rt_foreign_silent(void) {
    /* acquire: if the count is back to 0, what those calls did is seen. Pairs with
       deactivate(). */
    return rt_load_acq(&foreign.active) == 0 && rt_load_acq(&foreign.announced) == 0 &&
           rt_load_acq(&foreign.operating) == 0;
}

void rt_foreign_close(void) {
    rt_swap_sc(&foreign.closed, 1);
    /* fence(sc): closed before active. Pairs with rt_foreign_enter_slow() and
       deactivate(). */
    rt_fence_sc();
    uint32_t active;
    /* acquire: what those calls did is seen. Pairs with deactivate(). */
    while ((active = rt_load_acq(&foreign.active)) != 0) {
        /* woken by the last active one */
        os_futex_wait(&foreign.active, active, OS_NEVER);
    }
}

void rt_foreign_open(void) {
    rt_swap_sc(&foreign.closed, 0); /* sc: as in rt_foreign_close(), for uniformity */
    os_futex_wake(&foreign.closed, INT32_MAX);
}

/* The caller itself is not inside: fork() is the program's. */
void rt_foreign_forget_others(void) {
    /* relaxed, all: nobody else is there */
    rt_store_rlx(&foreign.inside, 0);
    rt_store_rlx(&foreign.active, 0);
    rt_store_rlx(&foreign.operating, 0);
}

bool rt_foreign_nobody(void) {
    /* acquire: pairs with rt_foreign_leave_slow() */
    return rt_load_acq(&foreign.inside) == 0;
}

/* A wait cannot fail, so it waits for memory too. */
static struct rt_g *borrow_descriptor(void) {
    for (;;) {
        struct rt_gslot *slot = rt_gpool_get_shared();
        if (slot != NULL) {
            return rt_g_of(slot);
        }
        rt_atomic(uint32_t) nobody = 0;
        os_futex_wait(&nobody, 0, os_now() + RETRY_NS);
    }
}

struct rt_g *rt_foreign_begin(void) {
    rt_foreign_enter_slow();
    struct rt_g *g = borrow_descriptor();
    g->flags = RT_G_FLAG_FOREIGN;
    /* relaxed: nobody else; a new slot is zero */
    rt_store_rlx(&g->slot.state, RT_G_DEAD);
    return g;
}

void rt_foreign_end(struct rt_g *g) {
    g->flags = 0;
    rt_gpool_put_shared(&g->slot);
    rt_foreign_leave_slow();
}

/* Sleeps until woken; at the deadline it tries to be its own waker. */
static void sleep_until_woken(struct rt_g *g, uint32_t ticket, int64_t deadline_ns) {
    /* acquire: what the waker did is seen. Pairs with the release in
       rt_foreign_wake(). */
    while (rt_load_acq(&g->woken) == 0) {
        if (os_futex_wait(&g->woken, 0, deadline_ns) != -ETIMEDOUT) {
            continue;
        }
        if (rt_claim_try(g, ticket)) {
            rt_foreign_wake(g);
        }
        deadline_ns = OS_NEVER; /* a waker was faster: it is on its way */
    }
}

void rt_foreign_park(struct rt_g *g, rt_commit_fn *commit, void *arg, uint32_t ticket,
                     int64_t deadline_ns) {
    rt_store_rlx(&g->woken, 0); /* relaxed: published by commit */
    rt_gstate_set(g, RT_G_DEAD, RT_G_WAITING);
    commit(NULL, g, arg);
    /* With a deadline it comes back by itself, and may wake others then. */
    bool comes_back = deadline_ns != OS_NEVER;
    if (comes_back) {
        /* sc: before it stops to be active. Pairs with rt_foreign_silent(). */
        rt_add_sc(&foreign.announced, 1);
    }
    deactivate(); /* this thread may have been the last that could have woken somebody */
    sleep_until_woken(g, ticket, deadline_ns);
    if (comes_back) {
        rt_sub_sc(&foreign.announced, 1); /* its waker has counted it as active */
    }
    rt_gstate_set(g, RT_G_RUNNABLE, RT_G_DEAD);
}

void rt_foreign_wait(rt_commit_fn *commit, void *arg) {
    struct rt_g *g = rt_foreign_begin();
    rt_foreign_park(g, commit, arg, RT_TICKET_ALONE, OS_NEVER);
    rt_foreign_end(g);
}

void rt_foreign_wake(struct rt_g *g) {
    /* The thread counts as active from here on, so that the waker may go to sleep without
       its being forgotten. sc: pairs with rt_foreign_silent(). */
    rt_add_sc(&foreign.active, 1);
    rt_gstate_set(g, RT_G_WAITING, RT_G_RUNNABLE);
    /* release: publishes the above. Pairs with the acquire in rt_foreign_wait(). */
    rt_store_rel(&g->woken, 1);
    /* Safe because descriptors are never unmapped while somebody is inside: g may be
       another's by now, who then wakes for nothing and looks again. */
    os_futex_wake(&g->woken, 1);
}

void rt_foreign_operate(void) {
    rt_add_sc(&foreign.operating, 1); /* sc: pairs with rt_foreign_silent() */
}

void rt_foreign_rest(void) {
    if (rt_sub_sc(&foreign.operating, 1) == 1) {
        rt_enter(); /* leaving is what checks whether anybody is left */
        rt_leave();
    }
}

void tuco_foreign_enter(void) {
    rt_add_sc(&foreign.announced, 1); /* sc: pairs with rt_foreign_silent() */
}

void tuco_foreign_exit(void) {
    uint32_t before = rt_sub_sc(&foreign.announced, 1);
    if (unlikely(before == 0)) {
        rt_panic("tuco_foreign_exit without tuco_foreign_enter");
    }
    if (before == 1) {
        rt_enter(); /* leaving is what checks whether anybody is left */
        rt_leave();
    }
}
