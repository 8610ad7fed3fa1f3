/* SPDX-License-Identifier: MIT */
/* procresize: more or fewer Ps while goroutines run. */
#include "sched/procresize.h"
#include "base/fence.h"
#include "base/lock.h"
#include "cpu/cpu.h"
#include "sched/syscall/enter.h"
#include "sched/pending.h"
#include "sched/globq.h"
#include "sched/thread/wakep.h"
#include "sched/deadlock.h"
#include "sched/sched.h"
#include "sched/sysmon/sysmonnote.h"
#include "sched/timers.h"

#include <errno.h>
#include <string.h>
#include <tuco/go.h>

/*
 * Problem. The number of Ps changes while goroutines run on them.
 *
 * Rejected. Stopping all Ps and dealing out their work anew, as Go does: C code cannot be
 * stopped anywhere, so this would take until the slowest goroutine makes its next call.
 *
 * The way taken. There is room for RT_PROCS_MAX Ps at fixed addresses. A P is made when
 * it is first wanted and is never unmade: any thread with a pointer to a P may read it.
 * The idle word counts the Ps in use together with the idle ones, so "all Ps are idle" is
 * a fact about one moment.
 *
 *   procs    how many Ps are wanted: ps[0..procs)
 *   ps_end   no P from here on is in use. Between procs and ps_end some are being retired
 *            and some are retired
 *   made     no P from here on was ever in use or has counters to sum up
 *
 * More. A retired P has no owner. It is counted in as an idle P without an M, and that is
 * all. A P that is still being retired loses its mark, at any moment. An owner may have
 * obeyed a mark that is gone by now. So findrunnable() does not conclude from a missing
 * mark that no request came: it checks the ring.
 *
 * Fewer. Each surplus P in use is marked (RT_ATTENTION_RETIRE). Its owner retires it when
 * it next schedules or gives the P away: the M in attend(), which is a spare M
 * afterwards; the thread that hands the P off; the starter thread. Sysmon treats the mark
 * like a goroutine that waits for the P, so a goroutine that computes or blocks keeps the
 * P for one slice at most. Idle Ps are retired by the thread that marked them.
 *
 *     thread that marks p                 thread that makes p idle
 *     [S] attention of p                  [S] the idle word, and p's bit
 *         fence(sc)                           fence(sc)
 *     [L] p's bit                         [L] attention of p
 *
 * At least one sees the other. If both do, the bit decides.
 *
 * Retiring. The owner first empties p: its goroutines go to the global queue, its timers
 * to sysmon's wheel, its caches to the shared pools. Then, under the lock, p goes out of
 * use, unless the mark is gone: then p is wanted again, and an empty P does no harm. In
 * between p is not idle, so checkdead cannot miss anything.
 *
 * The timers could stay, with sysmon serving that wheel too; but a P that comes back would
 * then have timers that only sysmon knows of, and could not be idle without an M. They
 * could go to another P; but the M of that P sleeps until the first timer that it knows:
 * see 'Timers' in stopm.c.
 *
 * The kind of fences does not change with the number of Ps: see base/fence.h.
 */

/* Mapped, not allocated by the C library: the kernel's zero pages until a P is made. */
#define PS_BYTES \
    ((RT_PROCS_MAX * sizeof(struct rt_p) + OS_PAGE_BYTES - 1) & ~(OS_PAGE_BYTES - 1))

static struct {
    /* Guards the fields below, rt_sched.procs, made and ps_end, and retired of all Ps. No
       other lock is taken under it. */
    struct rt_lock lock;
    bool follows;  /* procs follows the CPUs and the quota, until tuco_procs() sets it */
    uint32_t sets; /* how often procs was set; never 0 */
} state = {.lock = RT_LOCK_INIT(procs)};

/* Making */

static void make_one(uint32_t id) {
    struct rt_p *p = &rt_sched.ps[id];
    p->id = id;
    rt_init(&p->habit_period, 1);
    p->next_countdown = RT_LOOK_INTERVAL;
    p->look.interval = p->look.countdown = RT_LOOK_INTERVAL;
    p->yielded_look.interval = p->yielded_look.countdown = RT_LOOK_INTERVAL;
    p->retired = true;
    rt_init(&p->cpu, -1);
    rt_timers_make(p);
}

/* Makes ps[made..procs). If the runtime is about to end, it may have set STOP on the
   earlier Ps only, so the new ones get it here. */
static void make_up_to(uint32_t procs) {
    uint32_t made = rt_load_rlx(&rt_sched.made); /* relaxed: the lock is held */
    for (uint32_t i = made; i < procs; i++) {
        make_one(i);
    }
    if (procs > made) {
        /* release: publishes the Ps. Pairs with rt_sched_made(). */
        rt_store_rel(&rt_sched.made, procs);
    }
    /* fence(sc): made before the phase. Pairs with the fence in
       rt_sched_ask_attention(). */
    rt_fence_sc();
    for (uint32_t i = made; i < procs && rt_phase_now() > RT_RUNNING; i++) {
        rt_attention_set(&rt_sched.ps[i], RT_ATTENTION_STOP);
    }
}

/* relaxed, all: only a matter of speed. */
static void speed_hints_set(uint32_t procs, uint32_t cpus) {
    rt_store_rlx(&rt_sched.cpus, cpus);
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
    rt_store_rlx(&rt_sched.made, 0); /* relaxed, all: not shared yet */
    make_up_to(procs);
    for (uint32_t i = 0; i < procs; i++) {
        rt_sched.ps[i].retired = false;
    }
    rt_store_rlx(&rt_sched.ps_end, procs);
    rt_store_rlx(&rt_sched.procs, procs);
    speed_hints_set(procs, (uint32_t)os_cpu_count());
    return 0;
}

void rt_procs_free(void) {
    rt_timers_free();
    os_release(rt_sched.ps, PS_BYTES);
    rt_sched.ps = NULL;
    rt_store_rlx(&rt_sched.procs, 0); /* relaxed, all: no other thread is left */
    rt_store_rlx(&rt_sched.made, 0);
    rt_store_rlx(&rt_sched.ps_end, 0);
}

/* Out of use */

static uint32_t move_goroutines(struct rt_p *p) {
    struct rt_glist list = {.first = NULL};
    struct rt_glist yielded = {.first = NULL};
    struct rt_g *g = rt_runq_pop_runnext(&p->runq);
    if (g != NULL) {
        rt_glist_append(&list, g);
    }
    while ((g = rt_runq_pop(&p->runq)) != NULL) {
        rt_glist_append(&list, g);
    }
    while ((g = rt_runq_pop(&p->yieldq)) != NULL) {
        rt_glist_append(&yielded, g);
    }
    uint32_t count = list.count + yielded.count;
    rt_globq_put_list(&list);
    rt_globq_put_yielded(&yielded);
    return count;
}

static void p_move_contents(struct rt_p *p) {
    uint32_t moved = move_goroutines(p);
    if (moved > 0) {
        rt_wakep(moved);
    }
    rt_timers_leave(p);
    rt_p_flush_caches(p);
}

static void lower_end_locked(void) {
    uint32_t end = rt_load_rlx(&rt_sched.ps_end); /* relaxed: the lock is held */
    while (end > 1 && rt_sched.ps[end - 1].retired) {
        end--;
    }
    /* release: passes on the Ps below end, which other threads made under this lock. Pairs
       with rt_sched_ps_end(). */
    rt_store_rel(&rt_sched.ps_end, end);
}

bool rt_procs_retire(struct rt_p *p) {
    rt_assert(rt_load_rlx(&p->m) == NULL);
    p_move_contents(p);
    rt_lock(&state.lock);
    bool leaves = rt_p_is_leaving(p);
    if (leaves) {
        p->retired = true;
        p->left_ns = 0;
        p->yielded_ns = 0; /* the time out of use is no part of that turn */
        rt_attention_clear(p, ~(uint32_t)RT_ATTENTION_STOP); /* which is never cleared */
        rt_pidle_remove();
        lower_end_locked();
    }
    rt_unlock(&state.lock);
    if (leaves && rt_pidle_all()) {
        rt_checkdead();
    }
    return leaves;
}

void rt_procs_retire_unused(struct rt_p *p) {
    while (rt_p_is_leaving(p) && rt_pidleget_that(p)) {
        if (!rt_procs_retire(p)) {
            rt_pidleput(p);
        }
    }
}

/* Resizing */

/* A change of the number of Ps. It is decided and begun under the lock, and finished
   without it. */
struct resize {
    uint32_t before;
    uint32_t procs;
    uint32_t marked_end; /* fewer: Ps in [procs, marked_end) are to be retired */
};

/* ps[before..procs) come into use, or stay in use if they were being retired. */
static void raise_locked(uint32_t before, uint32_t procs) {
    make_up_to(procs);
    if (procs > rt_load_rlx(&rt_sched.ps_end)) { /* relaxed: the lock is held */
        /* release: publishes the Ps. Pairs with rt_sched_ps_end(). Before they are counted
           idle: a thread that claims one searches the masks up to ps_end. */
        rt_store_rel(&rt_sched.ps_end, procs);
    }
    for (uint32_t i = before; i < procs; i++) {
        struct rt_p *p = &rt_sched.ps[i];
        if (p->retired) {
            p->retired = false;
            rt_pidle_add(p);
        } else {
            rt_attention_clear(p, RT_ATTENTION_RETIRE); /* the lock decides */
        }
    }
}

/* There are new idle Ps: wakes Ms for goroutines that are already queued, and sysmon, which
   looks for one that lies in a runnext. */
static void wake_for_raised(uint32_t added) {
    /* fence(heavy): the word before the queues. Pairs with the fence(light) in rt_wakep(),
       whose caller may just have found no idle P. */
    rt_fence_heavy();
    uint32_t pending = rt_pending_count(added < RT_PIDLE_BURST ? added : RT_PIDLE_BURST);
    if (pending > 0) {
        rt_wakep_slow(pending);
    }
    rt_sysmon_poke_long();
}

/* Marks the Ps from procs on. Returns their end. */
static uint32_t lower_locked(uint32_t procs) {
    uint32_t end = rt_load_rlx(&rt_sched.ps_end); /* relaxed: the lock is held */
    for (uint32_t i = procs; i < end; i++) {
        if (!rt_sched.ps[i].retired) {
            /* acq_rel: ordered by the fence in retire_unused(). */
            rt_attention_set(&rt_sched.ps[i], RT_ATTENTION_RETIRE);
        }
    }
    return end;
}

static void retire_unused(uint32_t procs, uint32_t end) {
    /* fence(sc): attention before the bits. Pairs with the fences in retire_if_leaving()
       and rt_spinning_give_up() in wakep.c. */
    rt_fence_sc();
    for (uint32_t i = procs; i < end; i++) {
        rt_procs_retire_unused(&rt_sched.ps[i]);
    }
}

static struct resize resize_begin_locked(uint32_t procs, uint32_t cpus) {
    /* relaxed, both: the lock is held */
    struct resize r = {.before = rt_load_rlx(&rt_sched.procs), .procs = procs};
    rt_store_rlx(&rt_sched.procs, procs);
    speed_hints_set(procs, cpus);
    if (procs > r.before) {
        raise_locked(r.before, procs);
    } else if (procs < r.before) {
        r.marked_end = lower_locked(procs);
    }
    return r;
}

static void resize_finish(struct resize r) {
    if (r.procs > r.before) {
        wake_for_raised(r.procs - r.before);
    } else if (r.procs < r.before) {
        retire_unused(r.procs, r.marked_end);
    }
}

/* A number that sysmon based on an earlier value of sets is late from here on: see
   rt_procs_follow(). */
static void record_set_locked(bool follows) {
    state.follows = follows;
    state.sets = state.sets == UINT32_MAX ? 1 : state.sets + 1;
}

/* The program sets the number. Returns the previous one. */
static uint32_t procs_set(uint32_t procs, bool follows) {
    uint32_t cpus = (uint32_t)os_cpu_count();
    rt_lock(&state.lock);
    record_set_locked(follows);
    struct resize r = resize_begin_locked(procs, cpus);
    rt_unlock(&state.lock);
    resize_finish(r);
    return r.before;
}

/* The program lets the number follow the CPUs, which cannot be counted now. Returns the
   number, which stays until sysmon can count them. */
static uint32_t procs_follow_later(void) {
    rt_lock(&state.lock);
    record_set_locked(true);
    uint32_t procs = rt_load_rlx(&rt_sched.procs); /* relaxed: the lock is held */
    rt_unlock(&state.lock);
    return procs;
}

/* Following */

uint32_t rt_procs_follows(void) {
    rt_lock(&state.lock);
    uint32_t seen = state.follows && rt_sched.config.debug.update_procs ? state.sets : 0;
    rt_unlock(&state.lock);
    return seen;
}

void rt_procs_follow(uint32_t procs, uint32_t seen) {
    if (procs == rt_sched_procs()) {
        return;
    }
    uint32_t cpus = (uint32_t)os_cpu_count();
    rt_lock(&state.lock);
    if (!state.follows || seen != state.sets) {
        rt_unlock(&state.lock); /* late: the program has set the number since */
        return;
    }
    record_set_locked(true);
    struct resize r = resize_begin_locked(procs, cpus);
    rt_unlock(&state.lock);
    resize_finish(r);
}

/* Public */

int tuco_procs(int n) {
    int before = 0;
    rt_enter();
    if (rt_phase_now() == RT_RUNNING) {
        uint32_t procs = n < RT_PROCS_MAX ? (uint32_t)n : RT_PROCS_MAX;
        before = (int)(n < 1 ? rt_sched_procs() : procs_set(procs, false));
    }
    rt_leave();
    return before;
}

/* Returns false if the runtime does not run. */
static bool copy_config(struct rt_config *config) {
    rt_enter();
    bool runs = rt_phase_now() == RT_RUNNING;
    if (runs) {
        *config = rt_sched.config;
    }
    rt_leave();
    return runs;
}

/* Reads files outside the runtime: that takes time, and memory of the C library. */
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
        if (wanted != 0) {
            procs_set(wanted, true);
            procs = (int)wanted;
        } else {
            procs = (int)procs_follow_later();
        }
    }
    rt_leave();
    return procs;
}
