/* SPDX-License-Identifier: MIT */
/* How many Ps there are: more and fewer of them while goroutines run. */
#include "sched/procs.h"
#include "base/fence.h"
#include "base/lock.h"
#include "cpu/cpu.h"
#include "sched/enter.h"
#include "sched/find.h"
#include "sched/globq.h"
#include "sched/idle.h"
#include "sched/quiesce.h"
#include "sched/sched.h"
#include "time/timer.h"

#include <errno.h>
#include <string.h>
#include <tuco/go.h>

/*
 * Problem. The number of Ps changes while goroutines run on them.
 *
 * Rejected. To stop all Ps, deal everything out anew and go on, as Go does: C cannot be
 * stopped anywhere, so that would take as long as the slowest goroutine takes to come to
 * its next call.
 *
 * The way taken. There is room for RT_PROCS_MAX Ps, at addresses that stay. A P is made
 * when it is first wanted, and stays what it is: whoever has a pointer to one may look at
 * it. Those in use are counted in the idle word, together with how many of them are idle:
 * so that all of them are is a fact about one moment.
 *
 *   procs    how many are wanted: those with a number below
 *   ps_end   from here on none is in use. Between procs and ps_end are some that are on
 *            their way out, and some that are out
 *   made     from here on none was ever in use, and there is nothing to sum up
 *
 * More. A P that is not in use belongs to nobody. It is counted, as an idle one without an
 * M, and that is all; one that is still on its way out is told to stay.
 *
 * Fewer. Each P in use that is not wanted is marked (RT_ATTENTION_RETIRE), and whoever has
 * it in his hands takes it out of use when he next comes to the scheduler or gives it away:
 * its owner in attend(), who is a spare M then; whoever hands it off; the starter. For the
 * monitor the mark is as good as somebody who waits for the P, so that a goroutine which
 * computes or blocks keeps it for a slice at most. Those that nobody has in his hands are
 * taken out by whoever marked them.
 *
 *     who marks p                         who puts p where nobody has it
 *     [S] attention of p                  [S] the idle word, and p's bit
 *         fence(sc)                           fence(sc)
 *     [L] p's bit                         [L] attention of p
 *
 * One sees the other, and both may: then the bit decides.
 *
 * Out of use. First p is emptied: its goroutines go to the global queue, its timers to the
 * monitor, which has a wheel for threads without a P, and what it keeps for quick reuse
 * goes back. Then, under the lock, p is out, unless the mark is gone: then it is wanted
 * again, and an empty P does no harm. In between p is not idle, so nothing is overlooked.
 *
 * Timers could have stayed, and the monitor served that wheel too; but then a P that comes
 * back would find timers whose time only the monitor knows, and could not be idle without
 * an M. They could have gone to another P; but the M of that one sleeps until the first
 * timer that it knows of, see 'Timers' in rest.c.
 *
 * What is not changed: which fences are used, see base/fence.h. Both ways work with any
 * number of Ps.
 */

/* The C library has no part in this: P and wheel are the kernel's zeroes until they are
   used. */
#define PS_BYTES \
    ((RT_PROCS_MAX * sizeof(struct rt_p) + OS_PAGE_BYTES - 1) & ~(OS_PAGE_BYTES - 1))

static struct {
    /* Guards what follows, procs, made and ps_end, and which Ps are in use. Under it no
       other is taken. */
    struct rt_lock lock;
    bool follows;  /* the CPUs and the quota, until somebody sets a number */
    uint32_t sets; /* how often it was set; never 0 */
} state = {.lock = RT_LOCK_INIT(procs)};

/* Making */

static void make_one(uint32_t id) {
    struct rt_p *p = &rt_sched.ps[id];
    p->id = id;
    p->global_countdown = RT_GLOBAL_INTERVAL;
    p->retired = true;
    rt_init(&p->cpu, -1);
    rt_timers_make(p);
}

/* The runtime may be about to end, and have told all Ps that it knew to stop. */
static void make_up_to(uint32_t procs) {
    uint32_t made = rt_load_rlx(&rt_sched.made); /* relaxed, both: under the lock */
    for (uint32_t i = made; i < procs; i++) {
        make_one(i);
    }
    if (procs > made) {
        /* release: publishes the Ps. Pairs with rt_sched_made(). */
        rt_store_rel(&rt_sched.made, procs);
    }
    /* fence(sc): the number of Ps before the phase. Pairs with
       rt_sched_ask_attention(). */
    rt_fence_sc();
    for (uint32_t i = made; i < procs && rt_phase_now() > RT_RUNNING; i++) {
        rt_or_acqrel(&rt_sched.ps[i].attention,
                     RT_ATTENTION_STOP); /* acq_rel: as there */
    }
}

/* relaxed, all: matters of speed. */
static void choose_manners(uint32_t procs, uint32_t cpus) {
    rt_store_rlx(&rt_sched.lingering, procs <= cpus);
    rt_store_rlx(&rt_sched.spare_cpu, procs < cpus);
}

/* Beginning and end */

int rt_procs_make(uint32_t procs, bool follows) {
    rt_sched.ps = os_reserve(PS_BYTES, OS_PAGE_BYTES);
    if (rt_sched.ps == NULL) {
        return -ENOMEM;
    }
    int error = rt_timers_begin();
    if (error != 0) {
        os_release(rt_sched.ps, PS_BYTES);
        rt_sched.ps = NULL;
        return error;
    }
    state.follows = follows;
    state.sets = 1;
    rt_store_rlx(&rt_sched.made, 0); /* relaxed, all: nobody else yet */
    make_up_to(procs);
    for (uint32_t i = 0; i < procs; i++) {
        rt_sched.ps[i].retired = false;
    }
    rt_store_rlx(&rt_sched.ps_end, procs);
    rt_store_rlx(&rt_sched.procs, procs);
    choose_manners(procs, (uint32_t)os_cpu_count());
    return 0;
}

void rt_procs_free(void) {
    rt_timers_free();
    os_release(rt_sched.ps, PS_BYTES);
    rt_sched.ps = NULL;
    rt_store_rlx(&rt_sched.procs, 0); /* relaxed, all: nobody else any more */
    rt_store_rlx(&rt_sched.made, 0);
    rt_store_rlx(&rt_sched.ps_end, 0);
}

/* Out of use */

static uint32_t move_goroutines(struct rt_p *p) {
    struct rt_glist list = {.first = NULL};
    struct rt_g *g = rt_runq_pop_next(&p->runq);
    if (g != NULL) {
        rt_glist_append(&list, g);
    }
    while ((g = rt_runq_pop(&p->runq)) != NULL) {
        rt_glist_append(&list, g);
    }
    uint32_t count = list.count;
    rt_globq_put_list(&list);
    return count;
}

static void empty(struct rt_p *p) {
    uint32_t moved = move_goroutines(p);
    if (moved > 0) {
        rt_idle_notify(moved);
    }
    rt_timers_leave(p);
    rt_p_flush_caches(p);
}

static void lower_end_locked(void) {
    uint32_t end = rt_load_rlx(&rt_sched.ps_end); /* relaxed: under the lock */
    while (end > 1 && rt_sched.ps[end - 1].retired) {
        end--;
    }
    rt_store_rel(&rt_sched.ps_end, end); /* release: for uniformity; they were made */
}

bool rt_procs_retire(struct rt_p *p) {
    empty(p);
    rt_lock(&state.lock);
    bool leaves = rt_procs_is_leaving(p);
    if (leaves) {
        p->retired = true;
        p->left_ns = 0;
        rt_store_rlx(&p->m, NULL); /* relaxed: a hint for the monitor */
        /* acq_rel: stronger than needed. That the runtime ends stays true. */
        rt_and_acqrel(&p->attention, RT_ATTENTION_STOP);
        rt_idle_remove();
        lower_end_locked();
    }
    rt_unlock(&state.lock);
    if (leaves && rt_idle_all()) {
        rt_quiesce_check();
    }
    return leaves;
}

void rt_procs_retire_unused(struct rt_p *p) {
    while (rt_procs_is_leaving(p) && rt_idle_claim_that(p)) {
        if (!rt_procs_retire(p)) {
            rt_idle_put_without_m(p);
        }
    }
}

/* Setting */

/* Those from before on come into use, or stay in it. */
static void use_more_locked(uint32_t before, uint32_t procs) {
    make_up_to(procs);
    if (procs > rt_load_rlx(&rt_sched.ps_end)) { /* relaxed: under the lock */
        /* release: they have been made. Pairs with rt_sched_ps_end(). Before they are
           idle: who has counted one down looks for it there. */
        rt_store_rel(&rt_sched.ps_end, procs);
    }
    for (uint32_t i = before; i < procs; i++) {
        struct rt_p *p = &rt_sched.ps[i];
        if (p->retired) {
            p->retired = false;
            rt_idle_add(p);
        } else {
            /* acq_rel: stronger than needed; the lock decides. */
            rt_and_acqrel(&p->attention, ~(uint32_t)RT_ATTENTION_RETIRE);
        }
    }
}

/* Returns where they end. */
static uint32_t mark_locked(uint32_t procs) {
    uint32_t end = rt_load_rlx(&rt_sched.ps_end); /* relaxed: under the lock */
    for (uint32_t i = procs; i < end; i++) {
        if (!rt_sched.ps[i].retired) {
            /* acq_rel: the fence orders it. See the essay. */
            rt_or_acqrel(&rt_sched.ps[i].attention, RT_ATTENTION_RETIRE);
        }
    }
    return end;
}

static void retire_unused(uint32_t procs, uint32_t end) {
    /* fence(sc): attention before the bits. Pairs with idle.c; see the essay. */
    rt_fence_sc();
    for (uint32_t i = procs; i < end; i++) {
        rt_procs_retire_unused(&rt_sched.ps[i]);
    }
}

/* Where there was no P, goroutines may be waiting. */
static void wake_for_more(uint32_t added) {
    /* fence(heavy): the word before the queues. Pairs with the fence(light) in
       rt_idle_notify(), whose caller may have found no idle P a moment ago. */
    rt_fence_heavy();
    uint32_t pending = rt_find_pending(added < RT_IDLE_BURST ? added : RT_IDLE_BURST);
    if (pending > 0) {
        rt_idle_wake(pending);
    }
}

/* Who asks for a number that is to follow, and finds that it was set since, is too late:
   seen is 0 for those who are not asked that. Returns the number from before. */
static uint32_t set(uint32_t procs, bool follows, uint32_t seen) {
    uint32_t cpus = (uint32_t)os_cpu_count();
    uint32_t end = 0;
    rt_lock(&state.lock);
    uint32_t before = rt_load_rlx(&rt_sched.procs); /* relaxed: under the lock */
    bool late = seen != 0 && (seen != state.sets || !state.follows);
    if (late || procs == 0) {
        procs = before;
    }
    if (!late) {
        state.follows = follows;
        state.sets = state.sets == UINT32_MAX ? 1 : state.sets + 1;
    }
    rt_store_rlx(&rt_sched.procs, procs); /* relaxed: likewise */
    choose_manners(procs, cpus);
    if (procs > before) {
        use_more_locked(before, procs);
    } else if (procs < before) {
        end = mark_locked(procs);
    }
    rt_unlock(&state.lock);
    if (procs > before) {
        wake_for_more(procs - before);
    } else if (procs < before) {
        retire_unused(procs, end);
    }
    return before;
}

/* Following */

uint32_t rt_procs_follows(void) {
    rt_lock(&state.lock);
    uint32_t seen = state.follows && rt_sched.config.debug.update_procs ? state.sets : 0;
    rt_unlock(&state.lock);
    return seen;
}

void rt_procs_follow(uint32_t procs, uint32_t seen) {
    if (procs != rt_sched_procs()) {
        set(procs, true, seen);
    }
}

uint32_t rt_procs_by_default(int told) {
    if (told < 0) {
        return 0;
    }
    return told < RT_PROCS_MAX ? (uint32_t)told : RT_PROCS_MAX;
}

/* Public */

int tuco_procs(int n) {
    int before = 0;
    rt_enter();
    if (rt_phase_now() == RT_RUNNING) {
        uint32_t procs = n < RT_PROCS_MAX ? (uint32_t)n : RT_PROCS_MAX;
        before = (int)(n < 1 ? rt_sched_procs() : set(procs, false, 0));
    }
    rt_leave();
    return before;
}

/* False: the runtime does not run. */
static bool copy_config(struct rt_config *config) {
    rt_enter();
    bool runs = rt_phase_now() == RT_RUNNING;
    if (runs) {
        *config = rt_sched.config;
    }
    rt_leave();
    return runs;
}

/* Files are read outside: it takes time, and memory of the C library. */
int tuco_procs_auto(void) {
    struct rt_config config;
    int procs = 0;
    if (!copy_config(&config)) {
        return 0;
    }
    uint32_t wanted = rt_procs_by_default(config.debug.container_procs
                                              ? rt_cpu_default_procs(config.cgroup_root)
                                              : rt_cpu_count());
    rt_enter();
    if (rt_phase_now() == RT_RUNNING) {
        uint32_t before = set(wanted, true, 0);
        procs = (int)(wanted != 0 ? wanted : before);
    }
    rt_leave();
    return procs;
}
