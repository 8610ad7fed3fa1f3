/* SPDX-License-Identifier: MIT */
/* The table of legal changes of state. */
#include "sched/gstate.h"
#include "base/die.h"
#include "sched/g.h"

static const struct {
    enum rt_gstate from;
    enum rt_gstate to;
    const char *by; /* function, guard */
} arrows[] = {
    {RT_G_DEAD, RT_G_RUNNABLE, "spawn.c: rt_spawn, owner of a free descriptor"},
    {RT_G_DEAD, RT_G_WAITING, "foreign.c: rt_foreign_wait, likewise"},
    {RT_G_RUNNABLE, RT_G_RUNNING,
     "park.h: rt_make_running, the M that took it off its queue"},
    {RT_G_RUNNABLE, RT_G_WAITING, "spawn.c: no memory for its stack, likewise"},
    {RT_G_RUNNABLE, RT_G_DEAD, "foreign.c: a foreign thread has been woken"},
    {RT_G_RUNNING, RT_G_RUNNABLE, "park.c: yield, itself"},
    {RT_G_RUNNING, RT_G_WAITING, "park.c: rt_park, itself"},
    {RT_G_RUNNING, RT_G_DEAD, "spawn.c: its end, itself"},
    {RT_G_WAITING, RT_G_RUNNABLE,
     "park.c: rt_ready, who took it off the queue it waited in"},
};

const char *rt_gstate_name(uint32_t state) {
    switch (state) {
    case RT_G_DEAD: return "dead";
    case RT_G_RUNNABLE: return "runnable";
    case RT_G_RUNNING: return "running";
    case RT_G_WAITING: return "waiting";
    default: return "???";
    }
}

void rt_gstate_check(const struct rt_g *g, enum rt_gstate from, enum rt_gstate to) {
    /* relaxed: only the caller may change it */
    uint32_t now = rt_load_rlx(&g->slot.state);
    for (size_t i = 0; i < RT_ARRAY_LENGTH(arrows); i++) {
        if (arrows[i].from == from && arrows[i].to == to && now == (uint32_t)from) {
            return;
        }
    }
    rt_throw("goroutine %llu is %s and cannot go from %s to %s",
             (unsigned long long)g->id, rt_gstate_name(now), rt_gstate_name(from),
             rt_gstate_name(to));
}
