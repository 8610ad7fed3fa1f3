/* SPDX-License-Identifier: MIT */
/* Spawn and end of a goroutine. */
#include "sched/spawn.h"
#include "base/alloc.h"
#include "base/bits.h"
#include "sched/syscall/enter.h"
#include "sched/thread/wakep.h"
#include "sched/sysmon/sysmonnote.h"
#include "sched/park.h"
#include "sched/runq.h"
#include "sched/sched.h"
#include "sched/starved.h"

#include <errno.h>
#include <string.h>

/*
 * A goroutine has no stack until it first runs: a spawn only fills a descriptor and queues
 * it. The P that dequeues the goroutine gives it a stack from its cache. A goroutine that
 * ends passes its stack, still warm, to the next new one in the queue, which starts in the
 * same frame: a million goroutines that never wait need one stack per P.
 *
 * If there is no memory for a stack, the goroutine waits for it: see 'No stack' in
 * starved.h.
 *
 * A free descriptor has state dead (or zero, if it is new), no stack, no defers, no name,
 * and flags and wait reason 0. Spawn relies on this and so writes only two cache lines.
 */

/* Goroutine ids that a P reserves at a time. */
#define ID_BATCH 64

/* Stacks */

static void goroutine_entry(void *raw);

/* g0 of the calling thread; NULL on a foreign thread. */
static const struct rt_g *thread_context(void) {
    struct rt_m *m = arch_self();
    return m == NULL ? NULL : &m->g0;
}

static bool attach_stack(struct rt_p *p, struct rt_g *g) {
    bool cached = p->stacks.count > 0;
    g->stack = rt_stack_get(&p->stacks, g->stack_log2);
    if (g->stack == NULL) {
        return false;
    }
    /* relaxed: only a matter of speed */
    if (unlikely(!cached) && rt_load_rlx(&rt_sched.spare_cpu) && rt_stack_wants_help()) {
        rt_sysmon_help();
    }
    rt_san_born(g, thread_context());
    g->saved_errno = 0;
    arch_context_prepare(&g->ctx, g->stack->top, goroutine_entry, g);
    return true;
}

bool rt_make_running_slow(struct rt_m *m, struct rt_g *g) {
    if (likely(attach_stack(m->p, g))) {
        return true;
    }
    rt_starved_add(g);
    return false;
}

/* The end */

void rt_defer_push(struct rt_g *g, struct rt_defer *d, tuco_fn *fn, void *arg) {
    *d = (struct rt_defer){.next = g->defers, .fn = fn, .arg = arg};
    g->defers = d;
}

void rt_defer_run_all(struct rt_g *g) {
    while (g->defers != NULL) {
        struct rt_defer d = *g->defers;
        if (d.allocated) {
            rt_free(g->defers);
        }
        /* before the call, which may defer others or end the goroutine */
        g->defers = d.next;
        d.fn(d.arg);
    }
}

void rt_end_begin(void) {
    rt_m_enter(arch_self());
}

/* Resets g to what spawn expects of a free descriptor. */
static void free_descriptor(struct rt_p *p, struct rt_g *g) {
    if (unlikely((g->flags & RT_G_FLAG_NAMED) != 0)) {
        g->name[0] = '\0';
    }
    if (unlikely((g->flags & RT_G_FLAG_RESET_AT_END) != 0)) {
        rt_store_rlx(&g->blocking, 0); /* relaxed, all: g has ended */
        rt_store_rlx(&g->preempt_off, 0);
        rt_store_rlx(&g->hog_until_ms, 0);
    }
    g->flags = 0;
    g->wait_reason = RT_WAIT_none;
    rt_p_count(&p->ended);
    rt_gpool_put(&p->gcache, &g->slot);
}

/* Called on the next context's stack: g's own is in use until the switch. */
static void commit_end(struct rt_m *m, struct rt_g *g, void *arg) {
    (void)arg;
    rt_san_gone(g);
    rt_stack_put(&m->p->stacks, g->stack);
    g->stack = NULL;
    free_descriptor(m->p, g);
}

static bool can_take_over(const struct rt_g *next, const struct rt_g *g) {
    return RT_STACK_HANDOVER && next->stack == NULL &&
           next->stack_log2 == g->stack_log2 && (g->flags & RT_G_FLAG_LOW_START) == 0 &&
           g->stack->guard != RT_GUARD_GAP && !rt_sched.config.debug.migrate;
}

/* Ends g, the caller. Returns the goroutine that takes over its stack, or does not
   return. */
static struct rt_g *end_goroutine(struct rt_g *g) {
    if (unlikely(g->defers != NULL)) {
        rt_defer_run_all(g);
    }
    rt_race_release(&rt_sched); /* for tuco_stop() and the return of tuco_run() */
    struct rt_m *m = arch_self();
    if (likely(rt_m_is_outside(m))) { /* else see rt_end_begin() */
        m = rt_m_enter(m);
    }
    rt_gstatus_set(g, RT_G_RUNNING, RT_G_DEAD);
    if (unlikely(rt_switch_watched)) {
        rt_mutexcheck(g);
        (void)rt_exceptions_take(m); /* drops them, if g ended in a catch block */
    }
    if (unlikely(m->locked_g != NULL)) {
        m->ends = true; /* RT_ATTENTION_LOCKED is set: the scheduler runs next */
    }
    rt_stop_waker(m);
    struct rt_g *next = rt_findrunnable_local(m->p);
    if (likely(next != NULL) && can_take_over(next, g)) {
        next->stack = g->stack;
        g->stack = NULL;
        free_descriptor(m->p, g);
        rt_gstatus_set(next, RT_G_RUNNABLE, RT_G_RUNNING);
        rt_m_set_g(m, next);
        *m->errno_address = 0;
        arch_fp_reset();
        return next;
    }
    struct rt_g *to = next != NULL && rt_make_running(m, next) ? next : &m->g0;
    m->commit = commit_end;
    m->commit_g = g;
    rt_m_set_g(m, to);
    rt_san_leave(g, to, true /* g does not come back */);
    arch_switch(&g->ctx, &to->ctx, rt_after_switch, m);
    rt_throw("goroutine %llu was resumed after its end", (unsigned long long)g->id);
}

/* The beginning */

/* The copy is in this frame, on the goroutine's own stack, while fn runs. */
static RT_NOINLINE void run_with_copy(const struct rt_g *g) {
    char copy[RT_INLINE_ARG_BYTES] __attribute__((aligned(16)));
    memcpy(copy, g->inline_arg, g->copy_bytes);
    g->fn(copy);
}

/* Runs g, and then each goroutine that takes over its stack. */
static _Noreturn void run_from(struct rt_g *g) {
    char *low = rt_switch_low(rt_stack_usable(g->stack));
    for (;;) {
        void *arg = g->arg;
        g->stack_low = low;
        rt_race_take_over(g);
        rt_m_leave(arch_self());
        if (unlikely((g->flags & RT_G_FLAG_COPY) != 0)) {
            run_with_copy(g);
        } else {
            g->fn(arg);
        }
        g = end_goroutine(g);
    }
}

/* The first function on every stack. Starts again at the top after tuco_exit(). */
static void goroutine_entry(void *raw) {
    run_from(raw);
}

static uint64_t next_id(struct rt_p *p) {
    if (unlikely(p->id_next == p->id_end)) {
        p->id_next = rt_sched_reserve_ids(ID_BATCH);
        p->id_end = p->id_next + ID_BATCH;
    }
    return p->id_next++;
}

static void g_fill(struct rt_g *g, uint64_t id, tuco_fn *fn, void *arg) {
    g->id = id;
    g->habit_key = 0;
    g->fn = fn;
    g->arg = arg;
    g->stack_log2 = (uint8_t)rt_stack_cached_log2;
}

/* The copy does not fit into the descriptor: the goroutine gets its stack now, with the
   copy at its top. */
static int fill_large_copy(struct rt_p *p, struct rt_g *g,
                           const struct rt_spawn_options *o) {
    struct rt_stack_cache none = {.count = 0};
    g->stack = rt_stack_get(p != NULL ? &p->stacks : &none, g->stack_log2);
    if (g->stack == NULL) {
        return -ENOMEM;
    }
    rt_san_born(g, thread_context());
    uintptr_t place = ((uintptr_t)g->stack->top - o->copy_bytes) & ~(uintptr_t)63;
    memcpy((void *)place, o->copy, o->copy_bytes);
    g->arg = (void *)place;
    g->flags |= RT_G_FLAG_LOW_START;
    g->saved_errno = 0;
    arch_context_prepare(&g->ctx, (void *)place, goroutine_entry, g);
    return 0;
}

static RT_INLINE int fill_options(struct rt_p *p, struct rt_g *g,
                                  const struct rt_spawn_options *o) {
    if (o->stack_log2 != 0) {
        g->stack_log2 = (uint8_t)o->stack_log2;
    }
    if (o->name != NULL) {
        strcpy(g->name, o->name); /* tuco_go_attr() has checked the length */
        g->flags |= RT_G_FLAG_NAMED;
    }
    if (o->copy_bytes > (size_t)1 << (g->stack_log2 - 1)) {
        return -EINVAL;
    }
    if (o->copy_bytes > RT_INLINE_ARG_BYTES) {
        return fill_large_copy(p, g, o);
    }
    if (o->copy != NULL) {
        memcpy(g->inline_arg, o->copy, o->copy_bytes);
        g->copy_bytes = (uint8_t)o->copy_bytes;
        g->flags |= RT_G_FLAG_COPY;
    }
    return 0;
}

/* Fills a descriptor and makes it runnable. p: the caller's P, or NULL. Inlined, so that
   the checks of options that are constant in the caller cost nothing. */
static RT_INLINE int make_goroutine(struct rt_p *p, struct rt_gslot *slot, uint64_t id,
                                    tuco_fn *fn, void *arg,
                                    const struct rt_spawn_options *o) {
    struct rt_g *g = rt_g_of(slot);
    rt_store_rlx(&slot->state, RT_G_DEAD); /* relaxed: not shared yet; may be zero */
    g_fill(g, id, fn, arg);
    g->creator_id = tuco_id();
    g->creator_pc = o->pc;
    int error = fill_options(p, g, o);
    if (unlikely(error != 0)) {
        g->name[0] = '\0';
        g->flags = 0;
        return error;
    }
    rt_gstatus_set(g, RT_G_DEAD, RT_G_RUNNABLE);
    rt_race_hand_over(g);
    return 0;
}

static int spawn_global(tuco_fn *fn, void *arg, const struct rt_spawn_options *o) {
    struct rt_gslot *slot = rt_gpool_get_shared();
    if (slot == NULL) {
        return -ENOMEM;
    }
    int error = make_goroutine(NULL, slot, rt_sched_reserve_ids(1), fn, arg, o);
    if (error != 0) {
        rt_gpool_put_shared(slot);
        return error;
    }
    rt_add_rlx(&rt_sched.foreign_spawned, 1); /* relaxed: a count; before it is queued */
    rt_globq_put(rt_g_of(slot));
    rt_wakep(1);
    return 0;
}

/* The caller is a foreign thread. Takes the options by value: a pointer would make every
   caller keep them in memory. */
static RT_COLD int spawn_from_thread(tuco_fn *fn, void *arg, struct rt_spawn_options o) {
    rt_enter();
    int r = rt_phase_now() == RT_RUNNING ? spawn_global(fn, arg, &o) : -ESRCH;
    rt_leave();
    return r;
}

/* The caller runs on m, which has a P. */
static RT_INLINE int spawn_on(struct rt_m *m, tuco_fn *fn, void *arg,
                              const struct rt_spawn_options *o) {
    struct rt_p *p = m->p;
    struct rt_gslot *slot = rt_gpool_get(&p->gcache);
    if (unlikely(slot == NULL)) {
        return -ENOMEM;
    }
    int error = make_goroutine(p, slot, next_id(p), fn, arg, o);
    if (unlikely(error != 0)) {
        rt_gpool_put(&p->gcache, slot);
        return error;
    }
    rt_p_count(&p->spawned);
    if (unlikely(rt_sched.config.debug.migrate)) {
        rt_globq_put(rt_g_of(slot));
        rt_wakep(1);
    } else {
        rt_queue_woken(m, rt_g_of(slot), rt_g_of(slot)->creator_pc);
    }
    return 0;
}

static RT_INLINE int spawn(tuco_fn *fn, void *arg, const struct rt_spawn_options *o) {
    struct rt_m *m = arch_self();
    if (unlikely(m == NULL)) {
        return spawn_from_thread(fn, arg, *o);
    }
    m = rt_m_enter(m);
    int error = spawn_on(m, fn, arg, o);
    rt_m_leave(m);
    return error;
}

int rt_spawn(tuco_fn *fn, void *arg, const struct rt_spawn_options *o) {
    return spawn(fn, arg, o);
}

/* Queues behind all others in the ring, since no goroutine on this P waits for it. */
int rt_spawn_from_timer(tuco_fn *fn, void *arg, uint64_t creator_id, const void *pc) {
    struct rt_spawn_options o = {.pc = pc};
    struct rt_m *m = arch_self();
    struct rt_p *p = m != NULL ? m->p : NULL;
    struct rt_gslot *slot = p != NULL ? rt_gpool_get(&p->gcache) : rt_gpool_get_shared();
    if (slot == NULL) {
        return -ENOMEM;
    }
    struct rt_g *g = rt_g_of(slot);
    uint64_t id = p != NULL ? next_id(p) : rt_sched_reserve_ids(1);
    rt_check(make_goroutine(p, slot, id, fn, arg, &o) == 0); /* fails only by options */
    g->creator_id = creator_id;
    if (p != NULL && !rt_sched.config.debug.migrate) {
        rt_p_count(&p->spawned);
        rt_queue_put(p, g);
    } else {
        rt_add_rlx(&rt_sched.foreign_spawned, 1); /* relaxed: as in spawn_global() */
        rt_globq_put(g);
    }
    rt_wakep(1);
    return 0;
}

struct rt_g *rt_spawn_main(struct rt_p *p, tuco_fn *fn, void *arg) {
    struct rt_spawn_options none = {.copy = NULL};
    struct rt_gslot *slot = rt_gpool_get(&p->gcache);
    if (slot == NULL || make_goroutine(p, slot, RT_MAIN_ID, fn, arg, &none) != 0) {
        return NULL;
    }
    if (!attach_stack(p, rt_g_of(slot))) {
        rt_store_rlx(&slot->state, RT_G_DEAD); /* relaxed: not shared yet */
        rt_gpool_put(&p->gcache, slot);
        return NULL;
    }
    rt_p_count(&p->spawned);
    return rt_g_of(slot);
}

/* The public functions */

int tuco_go(tuco_fn *fn, void *arg) {
    struct rt_spawn_options o = {.pc = __builtin_return_address(0)};
    rt_spawn_check(fn != NULL);
    return spawn(fn, arg, &o); /* its own copy, without options */
}

int tuco_go_copy(tuco_fn *fn, const void *arg, size_t size) {
    struct rt_spawn_options o = {
        .copy = arg, .copy_bytes = size, .pc = __builtin_return_address(0)};
    rt_spawn_check(fn != NULL);
    return rt_spawn(fn, NULL, &o);
}

int tuco_go_attr(const tuco_attr *attr, tuco_fn *fn, void *arg) {
    struct rt_spawn_options o = {.pc = __builtin_return_address(0)};
    rt_spawn_check(fn != NULL);
    if (attr != NULL && (attr->reserved[0] | attr->reserved[1]) != 0) {
        return -EINVAL;
    }
    if (attr != NULL && attr->name != NULL) {
        if (strlen(attr->name) > TUCO_NAME_MAX) {
            return -ENAMETOOLONG;
        }
        o.name = attr->name;
    }
    if (attr != NULL && attr->stack_size != 0) {
        if (attr->stack_size < (size_t)1 << RT_STACK_MIN_LOG2 ||
            attr->stack_size > (size_t)1 << RT_STACK_MAX_LOG2) {
            return -EINVAL;
        }
        o.stack_log2 = rt_log2_up(attr->stack_size);
    }
    return rt_spawn(fn, arg, &o);
}

void tuco_exit(void) {
    struct rt_m *m = arch_self();
    if (m == NULL) {
        rt_fatal("tuco_exit called by a thread that is not a goroutine");
    }
    struct rt_g *g = rt_m_g(m);
    rt_defer_run_all(g);
    if (g->id == RT_MAIN_ID) {
        rt_store_rlx(&rt_sched.main_exited, 1); /* relaxed: read when all is idle */
    }
    struct rt_g *next = end_goroutine(g);
    arch_jump(next->stack->top, goroutine_entry, next);
}

int tuco_defer(tuco_fn *fn, void *arg) {
    struct rt_m *m = arch_self();
    if (unlikely(fn == NULL)) {
        rt_fatal("defer of nil func value");
    }
    if (m == NULL) {
        return -EPERM;
    }
    struct rt_defer *d = rt_alloc(sizeof *d);
    if (d == NULL) {
        return -ENOMEM;
    }
    rt_defer_push(rt_m_g(m), d, fn, arg);
    d->allocated = true;
    return 0;
}

uint64_t tuco_id(void) {
    struct rt_m *m = arch_self();
    return m == NULL ? 0 : rt_m_g(m)->id;
}

int tuco_set_name(const char *name) {
    struct rt_m *m = arch_self();
    if (m == NULL) {
        return -EPERM;
    }
    if (name != NULL && strlen(name) > TUCO_NAME_MAX) {
        return -ENAMETOOLONG;
    }
    strcpy(rt_m_g(m)->name, name != NULL ? name : "");
    rt_m_g(m)->flags |= RT_G_FLAG_NAMED;
    return 0;
}
