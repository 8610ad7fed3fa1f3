/* SPDX-License-Identifier: MIT */
/* The table of legal state changes. */
#include "sched/gstatus.h"
#include "base/die.h"
#include "sched/g.h"

static const struct {
    enum rt_gstatus from;
    enum rt_gstatus to;
} arrows[] = {
    /* spawn.c: rt_spawn, owner of a free descriptor */
    {RT_G_DEAD, RT_G_RUNNABLE},
    /* foreign.c: rt_foreign_park, owner of a free descriptor */
    {RT_G_DEAD, RT_G_WAITING},
    /* park.h: rt_make_running, and park.c: yield_on, the M that took it off its queue;
       lockedm.c: wait_aside, itself */
    {RT_G_RUNNABLE, RT_G_RUNNING},
    /* rt_starved_add, the M that took it off its queue */
    {RT_G_RUNNABLE, RT_G_WAITING},
    /* foreign.c: a foreign thread has been woken */
    {RT_G_RUNNABLE, RT_G_DEAD},
    /* park.c: yield_on and others, lockedm.c: lock_stopped, itself */
    {RT_G_RUNNING, RT_G_RUNNABLE},
    /* park.c: rt_park, itself */
    {RT_G_RUNNING, RT_G_WAITING},
    /* spawn.c: its end, itself */
    {RT_G_RUNNING, RT_G_DEAD},
    /* park.c: rt_ready and others, the waker that took it off its wait queue;
       starved.c: rt_starved_feed, sysmon */
    {RT_G_WAITING, RT_G_RUNNABLE},
};

const char *rt_gstatus_name(uint32_t state) {
    switch (state) {
    case RT_G_DEAD: return "dead";
    case RT_G_RUNNABLE: return "runnable";
    case RT_G_RUNNING: return "running";
    case RT_G_WAITING: return "waiting";
    default: return "???";
    }
}

void rt_gstatus_check(const struct rt_g *g, enum rt_gstatus from, enum rt_gstatus to) {
    /* relaxed: only the caller, the holder, may change it */
    uint32_t now = rt_load_rlx(&g->slot.state);
    for (size_t i = 0; i < RT_ARRAY_LENGTH(arrows); i++) {
        if (arrows[i].from == from && arrows[i].to == to && now == (uint32_t)from) {
            return;
        }
    }
    rt_throw("goroutine %llu is %s and cannot go from %s to %s",
             (unsigned long long)g->id, rt_gstatus_name(now), rt_gstatus_name(from),
             rt_gstatus_name(to));
}
