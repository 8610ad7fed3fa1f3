/* SPDX-License-Identifier: MIT */
/* The scheduler's loop: find, run. */
#include "sched/loop.h"
#include "sched/globq.h"
#include "sched/idle.h"
#include "sched/park.h"
#include "sched/sched.h"

/* How often a goroutine is put back for another thread to take, before its own may have
   it. */
#define MIGRATE_TRIES 100

/* See 'Migration' in park.c. True: g was put back. */
static bool leave_to_another(struct rt_m *m, struct rt_g *g) {
    if (g->last_m != m->id + 1 || rt_sched.procs == 1 ||
        ++m->migrate_tries > MIGRATE_TRIES) {
        m->migrate_tries = 0;
        g->last_m = m->id + 1;
        return false;
    }
    rt_globq_put(g);
    rt_idle_notify(1);
    os_thread_yield();
    return true;
}

void rt_loop(struct rt_m *m, struct rt_g *first) {
    struct rt_g *g = first != NULL ? first : rt_find(m);
    while (g != NULL) {
        bool kept = likely(!rt_sched.config.debug.migrate) || !leave_to_another(m, g);
        if (kept && rt_make_running(m, g)) {
            rt_switch(m, &m->g0, g, rt_after_switch);
        }
        g = rt_find(m);
    }
}
