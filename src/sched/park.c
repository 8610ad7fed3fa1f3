/* SPDX-License-Identifier: MIT */
/* Park, ready, yield. The protocol is in park.h. */
#include "sched/park.h"
#include "sched/runq.h"
#include "sched/thread/foreign.h"
#include "sched/thread/lockedm.h"
#include "sched/syscall/enter.h"
#include "sched/thread/wakep.h"
#include "sched/deadlock.h"
#include "sched/findrunnable.h"
#include "debug/overflow.h"
#include "sched/sched.h"
#include "sched/tuning.h"

/*
 * Migration. With TUCODEBUG=migrate=1 every goroutine that becomes runnable goes to the
 * global queue. A thread that takes a goroutine which it ran last puts it back and wakes
 * another thread, up to MIGRATE_TRIES times: see findrunnable.c. Code that keeps the
 * address of a thread-local variable across a wait then fails soon, not once a month.
 */
static bool migrating(void) {
    return unlikely(rt_sched.config.debug.migrate);
}

/*
 * Habits. ('Habits') A goroutine that is woken alone goes to the waker's runnext, and no M
 * is woken for it: most wakers soon wait for an answer, and the woken goroutine then runs
 * at once on a warm P. But if the waker computes on, the woken goroutine waits although a
 * P is idle.
 *
 * Rejected. Waking an M each time, as Go does: two goroutines that talk to each other then
 * pay for wake-ups that find nothing. Leaving it to sysmon: sysmon looks microseconds to a
 * millisecond later, each time.
 *
 * The way taken. What a waker does next depends on the place in the program: the function
 * that it runs, where it was spawned, and where the woken goroutine waits or was spawned.
 * So a goroutine has a habit for the place where it wakes others. A P has one for each
 * place, with which a goroutine begins: many programs start a goroutine for each request,
 * which wakes another one once and ends.
 *
 * Habits are learned from wake-ups that find a P idle, by the time from the wake-up to the
 * waker's next stop. A waker that stopped within RT_GOES_ON_NS four times in a row uses
 * runnext, and is not measured again in this period. For a waker that goes on, the woken
 * goroutine goes to the ring and an M is woken; all these wake-ups are measured. A long one
 * counts as much as two short ones: it would keep a goroutine waiting, where a short one in
 * the ring costs a wake-up. A thief that steals from a runnext, and sysmon when it finds a
 * goroutine waiting in one, record that the waker goes on, even in a period in which it was
 * seen to stop.
 *
 * A period is HABIT_PERIOD_NS (sysmon.c): sysmon begins a new one while some Ps are idle
 * and some busy. A measurement takes about 60 ns, and there are four in a period for each
 * goroutine that stops.
 *
 * One wrong guess costs at most four useless wake-ups. Not solved: a goroutine that goes on
 * after some wake-ups at a place and stops after others.
 */
#define HABIT_SURE  4
#define HABIT_STOPS (-3) /* the next short wake-up is the fourth in a row */

/* A waker with the habit h went on, or stopped soon, after a wake-up. */
static void habit_learn(struct rt_habit *h, bool goes_on, uint8_t period) {
    int score = h->score;
    if (goes_on) {
        score = (score > 0 ? score : 0) + 2;
        h->stops_in = 0;
    } else if (score > HABIT_STOPS) {
        score--;
    } else {
        score = 0;
        h->stops_in = period;
    }
    h->score = (int8_t)(score < HABIT_SURE ? score : HABIT_SURE);
}

/* relaxed, here and below: woke_ns is the owner's, except for hints, and the period is a
   number */
void rt_judge_waker(struct rt_m *m, int64_t woke_ns) {
    struct rt_p *p = m->p;
    bool goes_on = os_now() - woke_ns >= RT_GOES_ON_NS;
    uint8_t period = rt_load_rlx(&p->habit_period);
    rt_store_rlx(&p->woke_ns, 0);
    habit_learn(&rt_m_g(m)->habit, goes_on, period);
    if (p->woke_place != NULL) {
        habit_learn(p->woke_place, goes_on, period);
    }
}

/* That the waker wakes another goroutine does not show what the first wake-up was worth,
   unless the waker has gone on for long enough. */
static void judge_between(struct rt_m *m) {
    int64_t woke_ns = rt_load_rlx(&m->p->woke_ns);
    if (woke_ns != 0 && os_now() - woke_ns >= RT_GOES_ON_NS) {
        rt_judge_waker(m, woke_ns);
    }
}

/* The habit of p for goroutines that run what the waker runs, and wake one at pc. */
static struct rt_habit *habit_at(struct rt_p *p, const struct rt_g *waker,
                                 const void *pc) {
    uintptr_t place =
        (uintptr_t)pc ^ (uintptr_t)waker->fn << 7 ^ (uintptr_t)waker->creator_pc << 13;
    uint64_t hash = (uint64_t)place * UINT64_C(0x9e3779b97f4a7c15) >> 40;
    return &p->habits[hash % RT_HABITS];
}

/* The ring is full: moves half of it and g to the global queue. */
static RT_NOINLINE void ring_overflow(struct rt_p *p, struct rt_g *g) {
    struct rt_g *batch[RT_RUNQ_SLOTS / 2 + 1];
    uint32_t n = rt_runq_take_half(&p->runq, batch);
    if (n == 0) {
        rt_queue_put(p, g); /* thieves have made room */
        return;
    }
    batch[n] = g;
    rt_globq_put_array(batch, n + 1);
}

static RT_INLINE void queue_put(struct rt_p *p, struct rt_g *g) {
    if (unlikely(!rt_runq_put(&p->runq, g))) {
        ring_overflow(p, g);
    }
}

void rt_queue_put(struct rt_p *p, struct rt_g *g) {
    queue_put(p, g);
}

void rt_queue_global(struct rt_g *g) {
    rt_globq_put(g);
    rt_wakep(1);
}

void rt_queue_yielded_global(struct rt_g *g) {
    struct rt_glist one = {.first = NULL};
    rt_glist_append(&one, g);
    rt_globq_put_yielded(&one);
    rt_wakep(1);
}

void rt_queue_kicked(struct rt_p *p, struct rt_g *kicked) {
    queue_put(p, kicked);
    rt_wakep(1);
}

/* The measured time begins after rt_wakep(), so that it does not include the cost of waking
   an M. A scheduler runs what it has made runnable. */
void rt_queue_measured(struct rt_m *m, struct rt_g *g, const void *pc) {
    struct rt_p *p = m->p;
    struct rt_g *waker = rt_m_g(m);
    if (waker == &m->g0) {
        p->woke_place = NULL;
        rt_queue_runnext(p, g);
        return;
    }
    judge_between(m); /* while the waker has its habit of the earlier place */
    p->woke_place = habit_at(p, waker, pc);
    if (waker->habit_key != rt_habit_key(pc)) {
        waker->habit_key = rt_habit_key(pc);
        waker->habit = *p->woke_place;
    }
    if (waker->habit.score > 0) {
        queue_put(p, g);
        rt_wakep(1);
    } else {
        rt_queue_runnext(p, g);
    }
    bool measured = waker->habit.stops_in != rt_load_rlx(&p->habit_period);
    rt_store_rlx(&p->woke_ns, measured ? os_now() : 0);
}

/* For a G with one of RT_G_FLAGS_WOKEN. True: it goes to no run queue, being the proxy of a
   foreign thread, or locked. */
static RT_NOINLINE bool ready_unqueued(struct rt_g *g) {
    if ((g->flags & RT_G_FLAG_FOREIGN) != 0) {
        rt_foreign_wake(g);
        return true;
    }
    g->flags &= (uint8_t)~RT_G_FLAG_AHEAD;
    if ((g->flags & RT_G_FLAG_LOCKEDM) != 0) {
        rt_gstatus_set(g, RT_G_WAITING, RT_G_RUNNABLE);
        rt_lockedm_ready(g);
        return true;
    }
    return false;
}

void rt_ready(struct rt_g *g) {
    rt_race_hand_over(g);
    if (unlikely((g->flags & RT_G_FLAGS_WOKEN) != 0) && ready_unqueued(g)) {
        return;
    }
    rt_gstatus_set(g, RT_G_WAITING, RT_G_RUNNABLE);
    struct rt_m *m = arch_self();
    /* It runs soon and may have waited long: the saved registers, and the frame above. */
    __builtin_prefetch(g->ctx.sp, 1);
    __builtin_prefetch((char *)g->ctx.sp + RT_CACHE_LINE_BYTES, 1);
    if (unlikely(m == NULL || migrating())) {
        rt_queue_global(g);
    } else {
        rt_queue_woken(m, g, g->wait_pc);
    }
}

/* Makes all of the list runnable and returns those that go to a run queue. */
static struct rt_glist make_runnable(struct rt_glist *list) {
    struct rt_glist runnable = {.first = NULL};
    struct rt_g *g;
    while ((g = rt_glist_pop(list)) != NULL) {
        rt_race_hand_over(g);
        if (unlikely((g->flags & RT_G_FLAGS_WOKEN) != 0) && ready_unqueued(g)) {
            continue;
        }
        rt_gstatus_set(g, RT_G_WAITING, RT_G_RUNNABLE);
        rt_glist_append(&runnable, g);
    }
    return runnable;
}

/* Moves as many to the ring as it has room for. */
static void fill_ring(struct rt_p *p, struct rt_glist *list) {
    struct rt_g *g;
    while ((g = list->first) != NULL) {
        /* read before g is published: from then on g may run and end */
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
        /* keeps holds only if the ring's earlier Gs are kept too. */
        keeps = keeps && rt_runq_surplus(&p->runq) == 0;
        fill_ring(p, list);
        if (keeps && list->count == 0) {
            rt_runq_keep(&p->runq);
            return;
        }
    }
    rt_globq_put_list(list);
    rt_wakep(count);
}

void rt_ready_in_order(struct rt_p *p, struct rt_glist *list, bool keeps) {
    struct rt_glist all = make_runnable(list);
    if (all.count == 1 && p != NULL && !migrating()) {
        rt_queue_runnext(p, all.first);
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
    while (list != NULL) { /* reverses it: the longest waiter comes first */
        struct rt_g *g = list;
        list = rt_g_next(g);
        rt_g_link(g, all.first);
        all.first = g;
        all.last = all.last == NULL ? g : all.last;
        all.count++;
    }
    rt_ready_in_order(m != NULL ? m->p : NULL, &all, false /* Ms are woken for them */);
}

void rt_ready_urgent(struct rt_glist *list) {
    struct rt_glist all = make_runnable(list);
    uint32_t count = all.count;
    if (count > 0) {
        rt_globq_put_urgent(&all);
        rt_sched_ask_attention(RT_ATTENTION_NETPOLL);
        rt_wakep(count);
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
    struct rt_g *g = rt_m_g(m);
#if RT_RACE
    rt_san_between_begin(&m->g0);
    run_commit(m);
    rt_san_between_end();
    rt_san_arrive(g);
#else
    rt_san_arrive(g);
    run_commit(m);
#endif
    *m->errno_address = g->saved_errno;
}

bool rt_switch_watched;

/* The common part of all switches. */
static RT_INLINE void switch_now(struct rt_m *m, struct rt_g *from, struct rt_g *to,
                                 arch_then *after) {
    from->saved_errno = *m->errno_address;
    rt_m_set_g(m, to);
    rt_san_leave(from, to, false /* from comes back */);
    arch_switch(&from->ctx, &to->ctx, after, m);
}

/* switch_context() from a frame below from->stack_low: the stack has overflowed, or there
   is extra work. */
static RT_NOINLINE void switch_slow(struct rt_m *m, struct rt_g *from, struct rt_g *to,
                                    arch_then *after) {
    char *frame = __builtin_frame_address(0);
    if (from != &m->g0 && unlikely(frame < rt_stack_usable(from->stack))) {
        rt_overflow_at_switch(m, from, frame);
    }
    if (!rt_switch_watched) {
        switch_now(m, from, to, after);
        return;
    }
    if (from != &m->g0) {
        rt_mutexcheck(from);
    }
    struct rt_exceptions state = rt_exceptions_take(m);
    switch_now(m, from, to, after);
    rt_exceptions_put(arch_self(), state);
}

/* Switches m from one context to another and calls after() there. Returns when a thread
   switches back to from, perhaps on another M: the caller must not use m afterwards, and
   best ends with this call. Saves and restores errno, which belongs to the goroutine though
   the C library keeps it per thread. */
static RT_INLINE void switch_context(struct rt_m *m, struct rt_g *from, struct rt_g *to,
                                     arch_then *after) {
    /* relaxed: the thread's own. See 'Depth' in enter.h. */
    rt_assert(rt_load_rlx(&m->inside) == 1);
    if (unlikely((char *)__builtin_frame_address(0) < from->stack_low)) {
        switch_slow(m, from, to, after);
    } else {
        switch_now(m, from, to, after);
    }
}

void rt_execute(struct rt_m *m, struct rt_g *g) {
    if (rt_make_running(m, g)) {
        switch_context(m, &m->g0, g, rt_after_switch);
    }
}

/* The context to run when m's goroutine stops: the next G of the local queue, or g0. */
static RT_INLINE struct rt_g *next_context(struct rt_m *m) {
    struct rt_g *g = rt_findrunnable_local(m->p);
    return likely(g != NULL) && rt_make_running(m, g) ? g : &m->g0;
}

/* The common part of both parks: m's goroutine is about to wait. Returns it. */
static RT_INLINE struct rt_g *begin_wait(struct rt_m *m, enum rt_wait_reason reason,
                                         const void *pc) {
    struct rt_g *g = rt_m_g(m);
    g->wait_reason = (uint8_t)reason;
    g->wait_pc = pc;
    rt_stop_waker(m);
    rt_gstatus_set(g, RT_G_RUNNING, RT_G_WAITING);
    return g;
}

void rt_park(struct rt_m *m, rt_commit_fn *commit, void *arg, enum rt_wait_reason reason,
             const void *pc) {
    struct rt_g *g = begin_wait(m, reason, pc);
    m->commit = commit;
    m->commit_g = g;
    m->commit_arg = arg;
    switch_context(m, g, next_context(m), rt_after_switch);
    rt_race_take_over(g);
}

/* ThreadSanitizer must see the unlock; it ignores what RT_SAN_BETWEEN functions do. */
#if RT_TSAN
static RT_NOINLINE void unlock_after_switch(struct rt_spin *lock) {
    rt_spin_unlock(lock);
}
#else
#define unlock_after_switch rt_spin_unlock
#endif

/* rt_after_switch() for rt_park_unlock(). */
static RT_SAN_BETWEEN void after_wait(void *raw) {
    struct rt_m *m = raw;
    struct rt_g *g = rt_m_g(m);
#if RT_RACE
    rt_san_between_begin(&m->g0);
    unlock_after_switch(m->commit_arg);
    rt_san_between_end();
    rt_san_arrive(g);
    *m->errno_address = g->saved_errno;
#else
    rt_san_arrive(g);
    *m->errno_address = g->saved_errno;
    unlock_after_switch(m->commit_arg);
#endif
}

void rt_park_unlock(struct rt_m *m, struct rt_spin *lock, enum rt_wait_reason reason,
                    const void *pc) {
    struct rt_g *g = begin_wait(m, reason, pc);
    m->commit_arg = lock;
    rt_race_release(lock); /* here, because another goroutine's context unlocks it */
    switch_context(m, g, next_context(m), after_wait);
    rt_race_take_over(g);
}

/* rt_after_switch() for the most frequent commit: queues the goroutine that yielded. A
   spinning M may have found the queue empty since the next goroutine was dequeued, so
   rt_queue_yielded() wakes an M if a P is idle. */
static RT_SAN_BETWEEN void after_yield(void *raw) {
    struct rt_m *m = raw;
    struct rt_g *g = rt_m_g(m);
    rt_san_arrive(g);
    *m->errno_address = g->saved_errno;
    rt_queue_yielded(m->p, m->commit_g);
}

static void commit_yield(struct rt_m *m, struct rt_g *g, void *arg) {
    (void)arg;
    if (unlikely((g->flags & RT_G_FLAG_LOCKEDM) != 0)) {
        rt_lockedm_ready(g);
    } else if (migrating()) {
        rt_queue_global(g);
    } else {
        rt_queue_yielded(m->p, g);
    }
}

/* Enqueues and attaches a goroutine that lost its P. It goes ahead of goroutines that
   yielded, because it has waited in the kernel. */
static void commit_back(struct rt_m *m, struct rt_g *g, void *arg) {
    (void)m;
    (void)arg;
    if (unlikely((g->flags & RT_G_FLAG_LOCKEDM) != 0)) {
        rt_lockedm_ready(g);
    } else {
        rt_queue_global(g);
    }
    /* sc: after it is queued. Pairs with detached_now() in deadlock.c */
    rt_sched_attach();
    if (rt_pidle_all()) {
        rt_checkdead(); /* g may have run, and the last P gone idle, before the attach */
    }
}

/* Enqueues a goroutine that yielded before its slice was over, because a timer is due or a
   descriptor ready: behind those that wait for these and behind the ring, but ahead of
   those that yielded. */
static void commit_ahead(struct rt_m *m, struct rt_g *g, void *arg) {
    (void)arg;
    if (unlikely((g->flags & RT_G_FLAG_LOCKEDM) != 0) || migrating()) {
        commit_yield(m, g, NULL);
        return;
    }
    /* first: a goroutine that a timer wakes does not share the slice */
    rt_findrunnable_serve_slice(m->p, true /* stopped */);
    rt_findrunnable_run_timers(m);
    rt_queue_put(m->p, g);
    rt_wakep(1);
}

/* Switches to the scheduler. Returns when g runs again, perhaps on another M. */
static void yield_to_scheduler(struct rt_m *m, struct rt_g *g, rt_commit_fn *commit) {
    rt_gstatus_set(g, RT_G_RUNNING, RT_G_RUNNABLE);
    m->commit = commit;
    m->commit_g = g;
    switch_context(m, g, &m->g0, rt_after_switch);
}

/* The local queue returned nothing: it is empty, or the global queue comes first, or
   attention is set. Yields only if the scheduler has something to do. */
static RT_NOINLINE void yield_slow(struct rt_m *m) {
    /* relaxed: a late bit is seen at the next scheduling */
    uint32_t attention = rt_load_rlx(&m->p->attention);
    bool wired = (attention & RT_ATTENTION_LOCKED) != 0; /* runs no other goroutine */
    uint32_t in_vain =
        wired ? RT_ATTENTION_LOCKED | RT_ATTENTION_NETPOLL | RT_ATTENTION_SLICE : 0;
    bool wanted = (attention & RT_ATTENTION_SCHEDULER & ~in_vain) != 0;
    /* Without attention, rt_findrunnable_local() has found the P's own queues empty. */
    bool others = rt_globq_length() > 0 || rt_lockedm_length() > 0 ||
                  (attention != 0 && rt_p_has_any(m->p));
    if (wanted || others || migrating()) {
        yield_to_scheduler(m, rt_m_g(m), commit_yield);
    }
}

/* A goroutine that computes may be asked for something urgent again and again. It goes
   ahead of those that yielded only once until it is woken, or has gone behind them. */
void rt_yield_asked(struct rt_m *m) {
    struct rt_g *g = rt_m_g(m);
    rt_stop_waker(m);
    bool over = rt_load_rlx(&m->asked_over); /* relaxed: as asked_at */
    bool ahead = !over && (g->flags & RT_G_FLAG_AHEAD) == 0;
    g->flags =
        (uint8_t)(ahead ? g->flags | RT_G_FLAG_AHEAD : g->flags & ~RT_G_FLAG_AHEAD);
    yield_to_scheduler(m, g, ahead ? commit_ahead : commit_yield);
}

void rt_yield_without_p(struct rt_m *m) {
    struct rt_g *g = rt_m_g(m);
    rt_gstatus_set(g, RT_G_RUNNING, RT_G_RUNNABLE);
    m->commit = commit_back;
    m->commit_g = g;
    switch_context(m, g, &m->g0, rt_after_switch);
}

/* next is new and needs a stack first. */
static RT_NOINLINE void yield_to_new(struct rt_m *m, struct rt_g *next) {
    if (!rt_make_running(m, next)) {
        yield_slow(m);
        return;
    }
    struct rt_g *g = rt_m_g(m);
    rt_gstatus_set(g, RT_G_RUNNING, RT_G_RUNNABLE);
    m->commit_g = g;
    switch_context(m, g, next, after_yield);
}

/* Called inside the runtime. */
static RT_INLINE void yield_on(struct rt_m *m) {
    rt_stop_waker(m);
    struct rt_g *next = migrating() ? NULL : rt_findrunnable_local(m->p);
    if (unlikely(next == NULL)) {
        yield_slow(m);
        return;
    }
    if (unlikely(next->stack == NULL)) {
        yield_to_new(m, next);
        return;
    }
    struct rt_g *g = rt_m_g(m);
    rt_gstatus_set(next, RT_G_RUNNABLE, RT_G_RUNNING);
    rt_gstatus_set(g, RT_G_RUNNING, RT_G_RUNNABLE);
    m->commit_g = g;
    switch_context(m, g, next, after_yield);
}

void rt_yield_inside(void) {
    struct rt_m *m = arch_self();
    /* relaxed: the thread's own. At an inner depth a caller may hold a lock. */
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
