/* SPDX-License-Identifier: MIT */
/* Gaps: work is queued and a P is idle while no thread looks for the work. */
#include "gap.h"
#include "machine.h"
#include "sched/thread/lockedm.h"
#include "sched/globq.h"
#include "sched/thread/wakep.h"
#include "sched/sched.h"

#include <string.h>

/*
 * Problem. The scheduler promises that no goroutine stays queued while a P is idle. A run
 * that ends well does not prove it: another wake-up often finds a forgotten P, some time
 * later. And the promise does not hold at every step: the waker first enqueues a goroutine
 * and then wakes an M for it.
 *
 * Rejected. A bound on the time or the steps of a gap: a strategy may stall any thread for
 * as long as it likes, also the one that is about to wake an M. Checking only when all
 * threads sleep: then a lost wake-up beside a P that computes is found only by chance.
 *
 * Solution. A gap is open while a P is idle, the idle word counts no spinning M, and work
 * is queued. It is legal while a thread is about to close it: the one that has enqueued
 * the goroutine and has not read the idle word yet, or the last spinning M, which has
 * stopped spinning and has not re-checked the queues yet. Such a thread was runnable when
 * the gap opened, does not sleep before it has closed the gap, and needs a known number of
 * its own steps. So when a gap opens, every runnable thread becomes a debtor. A debtor has
 * paid when it has made STEPS(Ps) steps of its own, or sleeps, or exits. Ps counts all Ps
 * ever made, since their number may shrink while a thread walks them. A gap that is still
 * open when all debtors have paid is one that no thread is about to close, however long
 * others were stalled. A thread that becomes runnable later owes nothing: if it closes the
 * gap, that is luck.
 *
 * The last check of a spinning M loads four words per P, and may be made twice, hence
 * STEPS. Buffered stores count: a thread has not paid while its buffer has a store to one
 * of the words below.
 *
 * A goroutine alone in a runnext, or kept by its P, is different: no M is woken for it,
 * see 'Lone runnext' in wakep.c. Its P runs it, or sysmon starts a spinning M. One
 * tick of sysmon records the P's schedtick, the next tick finds that the P has scheduled
 * nothing since. So two whole ticks must not leave it there. A timer of a P that is not
 * idle is sysmon's too: one whole tick must not leave it when it is late. A tick is whole
 * if it lies between two sleeps of sysmon. To guarantee ticks, sysmon must not sleep
 * longer than its longest interval meanwhile.
 *
 * Memory counts, not what a thread would load: a buffered store has not been made.
 */
#define STEPS(ps) (64 + 16 * (uint64_t)(ps))

/* For each goroutine of a list, which is put into the ring as a whole before an M is
   woken. */
#define PUT_STEPS 8

#define LONE_LOOKS  2
#define TIMER_LOOKS 1

/* Sysmon considers a timer late earlier than this. */
#define TIMER_LATE_NS ((int64_t)1000 * 1000)

/* Sysmon sleeps for less while a P is idle beside others. */
#define TICK_MAX_NS ((int64_t)1100 * 1000)

enum kind {
    QUEUED, /* in a ring, the global queue, or the list of goroutines with a lockedm */
    LONE,   /* in a runnext, or kept by its P */
    KINDS,
};

struct gap {
    bool open;
    int debtors;                 /* threads that may still close it */
    uint64_t step;               /* when it opened, */
    int thread;                  /* in which thread's turn, */
    const struct sim_site *site; /* and by which write */
};

struct debt {
    bool owes;
    uint64_t steps; /* the thread's steps when the gap opened */
};

/* What sysmon leaves: whole ticks since a word changed. */
struct passed {
    bool seen; /* at the last sleep of sysmon */
    int looks;
    int64_t since_ns;
};

/* One thread of the system uses it. */
static struct {
    bool changed;                /* a watched word was written since the last step */
    const struct sim_site *site; /* of the last such write */
    struct gap gaps[KINDS];
    struct debt debts[KINDS][SIM_THREADS_MAX];
    struct passed lone[SIM_PROCS_MAX];
    struct passed timers[SIM_PROCS_MAX];
} watch;

struct sim_gap_tally sim_gap_tally;

/* Queued work. These loads read memory itself. */

static bool is_open(void) {
    uint64_t w = rt_pidle.word;
    return rt_sched.phase == RT_RUNNING && rt_pidle_ps(w) > 0 &&
           rt_pidle_spinning(w) == 0;
}

static uint32_t kept(const struct rt_runq *q) {
    uint32_t n = q->kept_end - q->head;
    return n <= RT_RUNQ_SLOTS ? n : 0;
}

static uint32_t surplus(const struct rt_runq *q) {
    uint32_t length = q->tail - q->head;
    return length > kept(q) ? length - kept(q) : 0;
}

static bool is_lone(const struct rt_runq *q) {
    return q->runnext != NULL || (kept(q) > 0 && q->tail != q->head);
}

static uint32_t in_global_queue(void) {
    return rt_globq_shared.ahead + rt_globq_shared.yielded;
}

/* A queue of p that needs another M; NULL: none. */
static const struct rt_runq *surplus_queue(const struct rt_p *p) {
    return surplus(&p->runq) > 0 ? &p->runq : surplus(&p->yieldq) > 0 ? &p->yieldq : NULL;
}

static bool is_queued(void) {
    if (in_global_queue() > 0 || rt_lockedm_shared.count > 0) {
        return true;
    }
    for (uint32_t i = 0; i < rt_sched.ps_end; i++) {
        if (surplus_queue(&rt_sched.ps[i]) != NULL) {
            return true;
        }
    }
    return false;
}

static bool is_any_lone(void) {
    for (uint32_t i = 0; i < rt_sched.ps_end; i++) {
        if (is_lone(&rt_sched.ps[i].runq)) {
            return true;
        }
    }
    return false;
}

/* Reports */

static _Noreturn void fail_queued(const struct gap *g) {
    const struct rt_p *p = NULL;
    for (uint32_t i = 0; i < rt_sched.ps_end && p == NULL; i++) {
        p = surplus_queue(&rt_sched.ps[i]) != NULL ? &rt_sched.ps[i] : NULL;
    }
    const struct rt_runq *q = p != NULL ? surplus_queue(p) : NULL;
    sim_fail("work lies beside %u idle Ps, and no thread is about to look for it: "
             "%u goroutines in the global queue, %u locked, %u in the ring of P %d, "
             "first goroutine %llu; since step %llu, when thread %d made %s %s in %s",
             rt_pidle_ps(rt_pidle.word), in_global_queue(), rt_lockedm_shared.count,
             q != NULL ? q->tail - q->head : 0, p != NULL ? (int)p->id : -1,
             q != NULL ? (unsigned long long)q->slots[q->head % RT_RUNQ_SLOTS]->id : 0,
             (unsigned long long)g->step, g->thread, g->site->what, g->site->operand,
             g->site->function);
}

static _Noreturn void fail_passed(const char *what, uint32_t p_id,
                                  const struct passed *passed) {
    sim_fail("%u Ps are idle, and %s P %u: sysmon has passed it by %d times in %lld ns",
             rt_pidle_ps(rt_pidle.word), what, p_id, passed->looks,
             (long long)(sim.now_ns - passed->since_ns));
}

/* Debts */

static void book(enum kind kind, struct sim_thread *t) {
    /* A thread that was woken and has not run yet, or that computes, owes nothing. */
    bool owes = !t->computes && t->steps > t->steps_woken;
    watch.debts[kind][t->id] = (struct debt){.owes = owes, .steps = t->steps};
    watch.gaps[kind].debtors += owes;
}

static void gap_open(enum kind kind) {
    struct gap *g = &watch.gaps[kind];
    *g = (struct gap){
        .open = true, .step = sim.steps, .thread = sim.self->id, .site = watch.site};
    for (int i = 0; i < sim.threads_end; i++) {
        watch.debts[kind][i].owes = false;
    }
    for (int i = 0; i < sim.runnable_count; i++) {
        book(kind, sim.runnable[i]);
    }
}

static uint64_t gone(const struct sim_thread *t, const struct debt *d) {
    return t->steps > d->steps ? t->steps - d->steps : 0;
}

static void count(uint64_t steps, uint64_t allowed) {
    struct sim_gap_tally *tally = &sim_gap_tally;
    int span = steps == 0 ? 0 : 64 - __builtin_clzll(steps);
    tally->spans[span < SIM_GAP_SPANS ? span : SIM_GAP_SPANS - 1]++;
    uint64_t percent = steps * 100 / allowed;
    tally->longest = steps > tally->longest ? steps : tally->longest;
    tally->longest_percent =
        percent > tally->longest_percent ? percent : tally->longest_percent;
}

/* Counts the gap's length as the steps of the slowest debtor: a lower bound than that
   would have reported the gap. */
static void gap_close(enum kind kind) {
    uint64_t least = UINT64_MAX;
    for (int i = 0; i < sim.threads_end; i++) {
        const struct debt *d = &watch.debts[kind][i];
        if (d->owes && gone(&sim.threads[i], d) < least) {
            least = gone(&sim.threads[i], d);
        }
    }
    if (kind == QUEUED && least != UINT64_MAX) {
        count(least, STEPS(rt_sched.made));
    }
    watch.gaps[kind].open = false;
}

/* The runtime may be stopped and its Ps freed. */
static void look(void) {
    bool now_open = is_open();
    bool now[KINDS] = {
        [QUEUED] = now_open && is_queued(),
        [LONE] = now_open && is_any_lone(),
    };
    for (enum kind kind = 0; kind < KINDS; kind++) {
        if (now[kind] != watch.gaps[kind].open) {
            (now[kind] ? gap_open : gap_close)(kind);
        }
    }
}

/* Requires that sysmon wakes soon. NULL: sysmon has not started. */
static void check_sysmon(const struct gap *g) {
    const struct sim_thread *t = sim_thread_named("tuco-sysmon");
    if (t != NULL && t->state == SIM_ASLEEP && t->deadline_ns > sim.now_ns &&
        t->deadline_ns - sim.now_ns > TICK_MAX_NS) {
        sim_fail("a goroutine is in a runnext or kept beside %u idle Ps since step %llu, "
                 "and sysmon does not look for it",
                 rt_pidle_ps(rt_pidle.word), (unsigned long long)g->step);
    }
}

static void pay(enum kind kind, const struct sim_thread *t) {
    struct gap *g = &watch.gaps[kind];
    watch.debts[kind][t->id].owes = false;
    if (--g->debtors > 0) {
        return;
    }
    if (kind == QUEUED) {
        fail_queued(g);
    }
    check_sysmon(g);
}

/* Words */

static const struct rt_p *p_of(const void *word) {
    size_t at = (size_t)((uintptr_t)word - (uintptr_t)rt_sched.ps);
    if (rt_sched.ps == NULL || at >= SIM_PROCS_MAX * sizeof rt_sched.ps[0]) {
        return NULL;
    }
    return &rt_sched.ps[at / sizeof rt_sched.ps[0]];
}

static bool is_of_queue(const struct rt_runq *q, const void *word) {
    return word == &q->head || word == &q->tail || word == &q->runnext ||
           word == &q->kept_end;
}

static bool is_watched(const void *word) {
    const struct rt_p *p = p_of(word);
    return p != NULL
               ? is_of_queue(&p->runq, word) || is_of_queue(&p->yieldq, word)
               : word == &rt_pidle.word || word == &rt_globq_shared.ahead ||
                     word == &rt_globq_shared.yielded || word == &rt_lockedm_shared.count;
}

static bool has_stores(const struct sim_thread *t) {
    for (int i = 0; i < t->stores_count; i++) {
        if (is_watched(t->stores[i].p)) {
            return true;
        }
    }
    return false;
}

/* The P has scheduled something, or its next timer has changed. */
static void forget_passed(const struct rt_p *p, const void *word) {
    if (word == &p->runq.runnext || word == &p->schedtick || word == &p->nexttick) {
        watch.lone[p->id].seen = false;
    }
    if (word == &p->clock.next_ns) {
        watch.timers[p->id].seen = false;
    }
}

static void forget_all_passed(void) {
    bool now_open = is_open();
    for (uint32_t i = 0; i < rt_sched.ps_end && i < SIM_PROCS_MAX; i++) {
        watch.timers[i].seen = false; /* the P may have been idle in between */
        watch.lone[i].seen &= now_open;
    }
}

void sim_gap_written(const void *p, const struct sim_site *site) {
    const struct rt_p *owner = p_of(p);
    if (owner != NULL) {
        forget_passed(owner, p);
    } else if (p == &rt_pidle.word) {
        forget_all_passed();
    }
    if (is_watched(p)) {
        watch.changed = true;
        watch.site = site;
    }
}

/* Gives a thread that is putting a list into the ring more steps. */
void sim_gap_stored(const void *p) {
    const struct rt_p *owner = p_of(p);
    struct debt *d = &watch.debts[QUEUED][sim.self->id];
    if (owner != NULL && p == &owner->runq.tail && d->owes) {
        d->steps += PUT_STEPS;
    }
}

/* Threads */

/* The thread waits for the holder of an rt_lock, so its steps do not count. */
static bool waits_for_lock(const struct sim_thread *t) {
    return t->site != NULL && strcmp(t->site->function, "rt_lock_slow") == 0;
}

static void step(enum kind kind, const struct sim_thread *t) {
    const struct debt *d = &watch.debts[kind][t->id];
    if (watch.gaps[kind].open && d->owes && gone(t, d) > STEPS(rt_sched.made) &&
        !has_stores(t) && !waits_for_lock(t)) {
        pay(kind, t);
    }
}

void sim_gap_step(void) {
    if (watch.changed) {
        watch.changed = false;
        look();
    }
    step(QUEUED, sim.self);
    step(LONE, sim.self);
}

static void pass(struct passed *passed, bool there) {
    if (!there || !passed->seen) {
        *passed = (struct passed){.seen = there, .since_ns = sim.now_ns};
        return;
    }
    passed->looks++;
}

static bool is_late(const struct rt_p *p) {
    uint64_t since_ns = (uint64_t)sim.now_ns - (uint64_t)p->clock.next_ns;
    return p->clock.next_ns <= sim.now_ns && since_ns >= TIMER_LATE_NS &&
           !rt_pidle_has(p->id);
}

/* Sysmon has finished a tick. */
static void end_look(void) {
    bool now_open = is_open();
    for (uint32_t i = 0; now_open && i < rt_sched.ps_end && i < SIM_PROCS_MAX; i++) {
        const struct rt_p *p = &rt_sched.ps[i];
        struct passed *lone = &watch.lone[i];
        pass(lone, is_lone(&p->runq));
        if (lone->looks >= LONE_LOOKS) {
            fail_passed("a goroutine is next or kept on", i, lone);
        }
        sim_gap_tally.lone += lone->seen && lone->looks == 0;
        sim_gap_tally.lone_passed += lone->looks > 0;
        pass(&watch.timers[i], is_late(p));
        if (watch.timers[i].looks >= TIMER_LOOKS) {
            fail_passed("a timer is late on", i, &watch.timers[i]);
        }
    }
    if (watch.gaps[LONE].open && watch.gaps[LONE].debtors == 0) {
        check_sysmon(&watch.gaps[LONE]);
    }
}

static bool is_sysmon_at_rest(const struct sim_thread *t) {
    return strcmp(t->name, "tuco-sysmon") == 0 &&
           (strcmp(t->site->function, "sysmon_sleep_until") == 0 ||
            strcmp(t->site->function, "poll_events") == 0);
}

void sim_gap_sleep(void) {
    struct sim_thread *t = sim.self;
    sim.quiet = true;
    sim_gap_step();
    for (enum kind kind = 0; kind < KINDS && !waits_for_lock(t); kind++) {
        if (watch.gaps[kind].open && watch.debts[kind][t->id].owes) {
            pay(kind, t);
        }
    }
    if (is_sysmon_at_rest(t)) {
        end_look();
    }
    sim.quiet = false;
}
