/* SPDX-License-Identifier: MIT */
/* Where the next goroutine comes from: a list of sources in order. */
#include "sched/find.h"
#include "sched/globq.h"
#include "sched/idle.h"
#include "sched/sched.h"

/* Rounds of looking at all others. In round r those not farther than r are visited: the
   machine's own order. */
#define STEAL_ROUNDS (RT_FAR + 1)

/* A goroutine that has been in its P's next slot for that long without the P scheduling
   anything may be stolen. A wake-up that its waker waits for takes a fiftieth of it. */
#define NEXT_AGE_NS 3000

struct rt_g *rt_find_global_first(struct rt_p *p) {
    p->global_countdown = RT_GLOBAL_INTERVAL;
    struct rt_g *g = rt_globq_take_one();
    if (g != NULL) {
        rt_p_count(&p->schedtick);
    }
    return g;
}

struct rt_g *rt_find_attentive(struct rt_p *p) {
    /* acq_rel: stronger than needed. One request, one turn of the ring; to stop is for
       ever. */
    uint32_t asked = rt_and_acqrel(&p->attention, ~(uint32_t)RT_ATTENTION_SLICE);
    if ((asked & RT_ATTENTION_STOP) != 0) {
        return NULL;
    }
    struct rt_g *g = rt_runq_pop(&p->runq);
    if (g == NULL) {
        g = rt_runq_pop_next(&p->runq);
    }
    if (g != NULL) {
        rt_p_count(&p->schedtick);
    }
    return g;
}

static struct rt_g *find_global(struct rt_p *p) {
    /* Moved one by one when every goroutine is to change threads: see 'Migration' in
       park.c. */
    struct rt_g *g = rt_sched.config.debug.migrate
                         ? rt_globq_take_one()
                         : rt_globq_take_batch(p, rt_sched.procs);
    if (g != NULL) {
        rt_p_count(&p->schedtick);
    }
    return g;
}

/* Other Ps in random order, without the idle ones. */
static struct rt_p *next_victim(struct rt_victims_walk *walk, const struct rt_p *thief) {
    uint32_t id;
    while (rt_victims_next(walk, &id)) {
        if (id != thief->id && !rt_idle_has(id)) {
            return &rt_sched.ps[id];
        }
    }
    return NULL;
}

static struct rt_g *steal_round(struct rt_m *m, enum rt_distance reach) {
    struct rt_p *p = m->p;
    struct rt_p *victim;
    struct rt_victims_walk walk =
        rt_victims_begin(&rt_sched.victims, (uint32_t)rt_rand_next(&m->rand));
    int here = rt_load_rlx(&p->cpu); /* relaxed: hints, both */
    while ((victim = next_victim(&walk, p)) != NULL) {
        int there = rt_load_rlx(&victim->cpu);
        if (rt_topology_distance(&rt_sched.topology, here, there) > reach) {
            continue;
        }
        uint32_t moved;
        struct rt_g *g = rt_runq_grab(&p->runq, &victim->runq, &moved);
        if (g != NULL) {
            return g;
        }
    }
    return NULL;
}

/* True if victim kept g in its next slot for NEXT_AGE_NS and scheduled nothing in that
   time. */
static bool next_is_old(const struct rt_p *victim, const struct rt_g *g) {
    uint32_t switches = rt_p_switches(victim);
    int64_t end = os_now() + NEXT_AGE_NS;
    do {
        rt_cpu_relax();
        /* relaxed: observed for a while; rt_runq_steal_next() decides. */
        if (rt_load_rlx(&victim->runq.next) != g || rt_p_switches(victim) != switches) {
            return false;
        }
    } while (os_now() < end);
    return true;
}

/* The last resort: what another P meant to run next, but does not come to. */
static struct rt_g *steal_next(struct rt_m *m) {
    struct rt_p *victim;
    struct rt_victims_walk walk =
        rt_victims_begin(&rt_sched.victims, (uint32_t)rt_rand_next(&m->rand));
    while ((victim = next_victim(&walk, m->p)) != NULL) {
        struct rt_g *g = rt_load_rlx(&victim->runq.next); /* relaxed: as above */
        if (g != NULL && next_is_old(victim, g) && rt_runq_steal_next(&victim->runq, g)) {
            rt_p_count(&m->p->schedtick);
            return g;
        }
    }
    return NULL;
}

static struct rt_g *steal(struct rt_m *m) {
    rt_store_rlx(&m->p->cpu, os_cpu_current()); /* relaxed: a hint */
    for (int round = 0; round < STEAL_ROUNDS; round++) {
        struct rt_g *g = steal_round(m, (enum rt_distance)round);
        if (g != NULL) {
            rt_p_count(&m->p->schedtick);
            return g;
        }
    }
    return steal_next(m);
}

struct rt_g *rt_find(struct rt_m *m) {
    struct rt_p *p = m->p;
    for (;;) {
        struct rt_g *g = rt_find_local(p);
        /* After it and not before: if the bit is not set now, the ring is empty, which
           find_global() relies on. */
        /* relaxed: sticky */
        if (unlikely(rt_load_rlx(&p->attention) & RT_ATTENTION_STOP)) {
            return NULL;
        }
        if (g == NULL) {
            g = find_global(p);
        }
        if (g == NULL && rt_idle_try_spin(m)) {
            g = steal(m);
        }
        if (g != NULL) {
            if (m->spinning) {
                rt_idle_found(m);
            }
            return g;
        }
        if (!rt_idle_park(m)) {
            return NULL;
        }
    }
}

uint32_t rt_find_pending(uint32_t enough) {
    uint32_t pending = rt_globq_length();
    for (uint32_t i = 0; i < rt_sched.procs && pending < enough; i++) {
        pending += rt_runq_length(&rt_sched.ps[i].runq);
    }
    return pending < enough ? pending : enough;
}
