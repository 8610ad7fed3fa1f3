/* SPDX-License-Identifier: MIT */
/* Goroutines that wait for stack memory. */
#include "sched/starved.h"
#include "base/lock.h"
#include "sched/g.h"
#include "sched/globq.h"
#include "sched/sched.h"
#include "sched/sysmon/sysmonnote.h"

static struct {
    struct rt_lock lock; /* guards the list; globq's lock is taken under it */
    struct rt_glist list;
} starving = {.lock = RT_LOCK_INIT(starving)};

void rt_starved_add(struct rt_g *g) {
    g->wait_reason = RT_WAIT_stack;
    g->wait_pc = NULL;
    rt_gstatus_set(g, RT_G_RUNNABLE, RT_G_WAITING);
    rt_lock(&starving.lock);
    rt_glist_append(&starving.list, g);
    /* relaxed: written under the lock; a hint for readers without it */
    rt_store_rlx(&rt_sched.starved, starving.list.count);
    rt_unlock(&starving.lock);
    rt_sysmon_poke();
}

/* The lock is held until all are queued and no longer counted as starved: rt_checkdead(),
   which takes it, finds each goroutine in one of the two places. */
uint32_t rt_starved_feed(void) {
    rt_lock(&starving.lock);
    struct rt_glist list = starving.list;
    uint32_t count = list.count;
    for (struct rt_g *g = list.first; g != NULL; g = rt_g_next(g)) {
        g->wait_reason = RT_WAIT_none;
        rt_gstatus_set(g, RT_G_WAITING, RT_G_RUNNABLE);
    }
    rt_globq_put_list(&list);
    starving.list = (struct rt_glist){.first = NULL};
    rt_store_rlx(&rt_sched.starved, 0); /* relaxed: as in rt_starved_add() */
    rt_unlock(&starving.lock);
    return count;
}

void rt_starved_lock(void) {
    rt_lock(&starving.lock);
}

void rt_starved_unlock(void) {
    rt_unlock(&starving.lock);
}

void rt_starved_reset(void) {
    starving.list = (struct rt_glist){.first = NULL};
}
