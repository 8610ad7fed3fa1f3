/* SPDX-License-Identifier: MIT */
/* Waiting, being woken, yielding. The protocol is in park.h. */
#include "sched/park.h"
#include "sched/bound.h"
#include "sched/enter.h"
#include "sched/idle.h"
#include "sched/quiesce.h"
#include "sched/sched.h"

/*
 * Migration. With TUCODEBUG=migrate=1 every goroutine that becomes runnable goes to the
 * global queue, and a thread that takes one there which it was itself the last to run
 * puts it back and wakes another, a number of times: see loop.c. Code that keeps the
 * address of a thread-local across a wait then fails soon and not once a month.
 */
static bool migrating(void) {
    return unlikely(rt_sched.config.debug.migrate);
}

/* Moves half of a full ring and g to the global queue. */
static RT_NOINLINE void overflow(struct rt_p *p, struct rt_g *g) {
    struct rt_g *batch[RT_RUNQ_SLOTS / 2 + 1];
    uint32_t n = rt_runq_take_half(&p->runq, batch);
    if (n == 0) {
        rt_queue_put(p, g); /* a thief has made room */
        return;
    }
    batch[n] = g;
    rt_globq_put_array(batch, n + 1);
}

static RT_INLINE void queue_put(struct rt_p *p, struct rt_g *g) {
    if (unlikely(!rt_runq_put(&p->runq, g))) {
        overflow(p, g);
    }
}

void rt_queue_put(struct rt_p *p, struct rt_g *g) {
    queue_put(p, g);
}

void rt_queue_next(struct rt_p *p, struct rt_g *g) {
    struct rt_g *kicked = rt_runq_put_next(&p->runq, g);
    if (kicked != NULL) {
        rt_queue_put(p, kicked);
        rt_idle_notify(1);
    }
}

static void put_global(struct rt_g *g) {
    rt_globq_put(g);
    rt_idle_notify(1);
}

/* Not for a run queue: a thread's proxy, or one that a certain M runs. */
static RT_NOINLINE void ready_unqueued(struct rt_g *g) {
    if ((g->flags & RT_G_FLAG_FOREIGN) != 0) {
        rt_foreign_wake(g);
    } else {
        rt_gstate_set(g, RT_G_WAITING, RT_G_RUNNABLE);
        rt_bound_ready(g);
    }
}

void rt_ready(struct rt_g *g) {
    if (unlikely((g->flags & RT_G_FLAGS_UNQUEUED) != 0)) {
        ready_unqueued(g);
        return;
    }
    rt_gstate_set(g, RT_G_WAITING, RT_G_RUNNABLE);
    struct rt_m *m = arch_self();
    __builtin_prefetch(g->ctx.sp, 1); /* it runs soon, and may have waited for long */
    if (unlikely(m == NULL || migrating())) {
        put_global(g);
    } else {
        rt_queue_next(m->p, g);
    }
}

/* Those of the list that are for a run queue, runnable; the others are woken. */
static struct rt_glist make_runnable(struct rt_glist *list) {
    struct rt_glist runnable = {.first = NULL};
    struct rt_g *g;
    while ((g = rt_glist_pop(list)) != NULL) {
        if (unlikely((g->flags & RT_G_FLAGS_UNQUEUED) != 0)) {
            ready_unqueued(g);
            continue;
        }
        rt_gstate_set(g, RT_G_WAITING, RT_G_RUNNABLE);
        rt_glist_append(&runnable, g);
    }
    return runnable;
}

/* As many as there is room for. */
static void fill_ring(struct rt_p *p, struct rt_glist *list) {
    struct rt_g *g;
    while ((g = list->first) != NULL) {
        /* read before g is published: then it may run and go */
        struct rt_g *rest = rt_g_next(g);
        if (!rt_runq_put(&p->runq, g)) {
            return;
        }
        list->first = rest;
        list->count--;
    }
}

static void put_in_order(struct rt_p *p, struct rt_glist *list, bool keeps) {
    uint32_t count = list->count;
    if (count == 0) {
        return;
    }
    if (p != NULL && !migrating()) {
        /* Others were woken for those that are not kept. */
        keeps = keeps && rt_runq_surplus(&p->runq) == 0;
        fill_ring(p, list);
        if (keeps && list->count == 0) {
            rt_runq_keep(&p->runq);
            return;
        }
    }
    rt_globq_put_list(list);
    rt_idle_notify(count);
}

void rt_ready_in_order(struct rt_p *p, struct rt_glist *list, bool keeps) {
    struct rt_glist all = make_runnable(list);
    if (all.count == 1 && p != NULL && !migrating()) {
        rt_queue_next(p, all.first);
    } else {
        put_in_order(p, &all, keeps);
    }
}

void rt_ready_behind(struct rt_p *p, struct rt_glist *list, bool keeps) {
    struct rt_glist all = make_runnable(list);
    put_in_order(p, &all, keeps);
}

void rt_ready_list(struct rt_g *list) {
    struct rt_m *m = arch_self();
    struct rt_glist all = {.first = NULL};
    if (list != NULL && rt_g_next(list) == NULL) {
        rt_ready(list);
        return;
    }
    while (list != NULL) { /* who waited longest comes to the front */
        struct rt_g *g = list;
        list = rt_g_next(g);
        rt_g_link(g, all.first);
        all.first = g;
        all.last = all.last == NULL ? g : all.last;
        all.count++;
    }
    rt_ready_in_order(m != NULL ? m->p : NULL, &all, false /* others are woken */);
}

void rt_ready_urgent(struct rt_glist *list) {
    struct rt_glist all = make_runnable(list);
    uint32_t count = all.count;
    if (count > 0) {
        rt_globq_put_urgent(&all);
        rt_sched_ask_attention(RT_ATTENTION_POLL);
        rt_idle_notify(count);
    }
}

static RT_NOINLINE void run_commit(struct rt_m *m) {
    rt_commit_fn *commit = m->commit;
    if (commit != NULL) {
        m->commit = NULL;
        commit(m, m->commit_g, m->commit_arg);
    }
}

RT_SAN_BETWEEN void rt_after_switch(void *raw) {
    struct rt_m *m = raw;
    rt_san_arrive(rt_m_g(m));
    run_commit(m);
    *m->errno_address = rt_m_g(m)->saved_errno;
}

void rt_park(struct rt_m *m, rt_commit_fn *commit, void *arg, enum rt_wait_reason reason,
             const void *pc) {
    struct rt_g *g = rt_m_g(m);
    g->wait_reason = (uint8_t)reason;
    g->wait_pc = pc;
    rt_gstate_set(g, RT_G_RUNNING, RT_G_WAITING);
    m->commit = commit;
    m->commit_g = g;
    m->commit_arg = arg;
    rt_switch(m, g, rt_next_context(m), rt_after_switch);
}

/* The thread sanitizer has to see the release, which between two goroutines it would
   not. */
#if RT_TSAN
static RT_NOINLINE void release(struct rt_spin *lock) {
    rt_spin_unlock(lock);
}
#else
#define release rt_spin_unlock
#endif

/* rt_after_switch() for one who waits in a queue. */
static RT_SAN_BETWEEN void after_wait(void *raw) {
    struct rt_m *m = raw;
    rt_san_arrive(rt_m_g(m));
    *m->errno_address = rt_m_g(m)->saved_errno;
    release(m->commit_arg);
}

void rt_park_unlock(struct rt_m *m, struct rt_spin *lock, enum rt_wait_reason reason,
                    const void *pc) {
    struct rt_g *g = rt_m_g(m);
    g->wait_reason = (uint8_t)reason;
    g->wait_pc = pc;
    rt_gstate_set(g, RT_G_RUNNING, RT_G_WAITING);
    m->commit_arg = lock;
    rt_switch(m, g, rt_next_context(m), after_wait);
}

/* rt_after_switch() for the most frequent commit: the goroutine that yielded goes to the
   end of the ring. The number of queued goroutines is as before, but for a moment the
   ring had one less, and a searcher may have looked just then: so the idle are told. */
static RT_SAN_BETWEEN void after_yield(void *raw) {
    struct rt_m *m = raw;
    rt_san_arrive(rt_m_g(m));
    *m->errno_address = rt_m_g(m)->saved_errno;
    queue_put(m->p, m->commit_g);
    rt_idle_notify(1);
}

static void commit_yield_global(struct rt_m *m, struct rt_g *g, void *arg) {
    (void)m;
    (void)arg;
    if (unlikely((g->flags & RT_G_FLAG_BOUND) != 0)) {
        rt_bound_ready(g);
    } else {
        put_global(g);
    }
}

/* It is in a queue now, and no longer away. */
static void commit_back(struct rt_m *m, struct rt_g *g, void *arg) {
    commit_yield_global(m, g, arg);
    /* sc: after it is queued. Pairs with rt_quiesce_check(). */
    rt_sched_return();
    if (rt_idle_all()) {
        rt_quiesce_check(); /* it may have run, and the last gone idle, before this */
    }
}

/* Switches to the scheduler; g comes back when its turn has come, perhaps on another
   M. */
static void yield_to_scheduler(struct rt_m *m, struct rt_g *g) {
    rt_gstate_set(g, RT_G_RUNNING, RT_G_RUNNABLE);
    m->commit = commit_yield_global;
    m->commit_g = g;
    rt_switch(m, g, &m->g0, rt_after_switch);
}

/* Nothing in the ring: the global queue may have something, or the scheduler wants the
   thread. */
static RT_NOINLINE void yield_slow(struct rt_m *m) {
    /* relaxed: seeing it later does no harm */
    uint32_t attention = rt_load_rlx(&m->p->attention);
    bool wired = (attention & RT_ATTENTION_LOCKED) != 0; /* it does not look for others */
    uint32_t in_vain = wired ? RT_ATTENTION_LOCKED | RT_ATTENTION_POLL : 0;
    bool wanted = (attention & RT_ATTENTION_SCHEDULER & ~in_vain) != 0;
    if (wanted || migrating() || rt_find_others_wait(m->p)) {
        yield_to_scheduler(m, rt_m_g(m));
    }
}

void rt_yield_asked(struct rt_m *m) {
    yield_to_scheduler(m, rt_m_g(m));
}

void rt_yield_without_p(struct rt_m *m) {
    struct rt_g *g = rt_m_g(m);
    rt_gstate_set(g, RT_G_RUNNING, RT_G_RUNNABLE);
    m->commit = commit_back;
    m->commit_g = g;
    rt_switch(m, g, &m->g0, rt_after_switch);
}

/* A new goroutine is next, which needs a stack first. */
static RT_NOINLINE void yield_to_new(struct rt_m *m, struct rt_g *next) {
    if (!rt_make_running(m, next)) {
        yield_slow(m);
        return;
    }
    struct rt_g *g = rt_m_g(m);
    rt_gstate_set(g, RT_G_RUNNING, RT_G_RUNNABLE);
    m->commit_g = g;
    rt_switch(m, g, next, after_yield);
}

/* Inside. */
static RT_INLINE void yield_on(struct rt_m *m) {
    struct rt_g *next = migrating() ? NULL : rt_find_local(m->p);
    if (unlikely(next == NULL)) {
        yield_slow(m);
        return;
    }
    if (unlikely(next->stack == NULL)) {
        yield_to_new(m, next);
        return;
    }
    struct rt_g *g = rt_m_g(m);
    rt_gstate_set(next, RT_G_RUNNABLE, RT_G_RUNNING);
    rt_gstate_set(g, RT_G_RUNNING, RT_G_RUNNABLE);
    m->commit_g = g;
    rt_switch(m, g, next, after_yield);
}

void rt_yield_inside(void) {
    struct rt_m *m = arch_self();
    /* relaxed: its own. In an inner bracket somebody may hold a lock. */
    if (m != NULL && rt_load_rlx(&m->inside) == 1) {
        yield_on(m);
    } else {
        os_thread_yield();
    }
}

void tuco_yield(void) {
    struct rt_m *m = arch_self();
    if (unlikely(m == NULL)) {
        os_thread_yield();
        return;
    }
    yield_on(rt_m_enter(m));
    rt_m_leave(arch_self());
}
