/* SPDX-License-Identifier: MIT */
/* Chooses the thread that runs next: random walk, priorities that change at few random
   steps (PCT), or in order with the deviations of explore.c. */
#include "machine.h"
#include "explore.h"

#include <stdio.h>

/*
 * Random walk. At each step, with a probability fixed for the run, the turn goes to a
 * random runnable thread. With probability 1 all threads advance side by side; with a
 * small one each advances far before the next. Which is better depends on the bug, so each
 * run draws one.
 *
 * In some runs a thread is stalled now and then, as if the kernel had preempted it: it
 * gets no turn for a long time, even if others wait for it.
 *
 * PCT (Burckhardt, Kothari, Musuvathi, Nagarakatte, 2010: probabilistic concurrency
 * testing). Each thread has a random priority, and the runnable thread with the highest
 * one always runs. At depth - 1 random steps of the expected length the running thread's
 * priority drops below all others. A bug that needs depth ordered steps is found with a
 * probability of at least 1/(threads * length^(depth-1)) per run, far more often in
 * practice.
 *
 * A thread in a wait loop drops to the bottom, because otherwise no thread could end its
 * wait. For wait loops without rt_cpu_relax(), and for two threads that keep each other
 * running, a thread that was runnable for fair_steps without a turn rises to the top. Each
 * time this halves fair_steps, so that a long run becomes fair. PCT's proof covers
 * neither.
 */

#define STALL_LOG2_MAX   13
#define FAIR_STEPS_FIRST 16384
#define FAIR_STEPS_LAST  64
#define TOP_FIRST        ((int64_t)1 << 62)
#define TURN_STEPS_MAX   20000 /* in order: for wait loops without rt_cpu_relax() */

static struct {
    /* Random walk: inverse probabilities per step. */
    uint32_t switch_chance;
    uint32_t stall_chance; /* 0: never */
    struct sim_thread *stalled;
    uint64_t stalled_until; /* a step number */

    /* PCT. */
    struct sim_thread *best; /* NULL: must be searched */
    uint64_t changes[SIM_DEPTH_MAX];
    int changes_count;
    int64_t bottom; /* not above the priority of any thread */
    int64_t top;    /* not below it */
    uint64_t fair_steps;
    uint64_t next_fair; /* the step of the next check for starved threads */

    /* In order. */
    uint64_t turn_steps; /* consecutive steps of the running thread */
} strategy;

uint32_t sim_any(uint32_t n) {
    return sim.options.strategy == SIM_EXHAUSTIVE ? 0 : rt_rand_below(&sim.rand, n);
}

bool sim_chance(uint32_t n) {
    return sim.options.strategy != SIM_EXHAUSTIVE && rt_rand_below(&sim.rand, n) == 0;
}

const char *sim_strategy_text(void) {
    static const char *const models[] = {"sc", "tso", "weak"};
    static char text[128];
    const struct sim_options *o = &sim.options;
    const char *model = models[o->model];
    switch (o->strategy) {
    case SIM_RANDOM_WALK:
        snprintf(text, sizeof text, "random walk, memory %s", model);
        break;
    case SIM_PCT:
        snprintf(text, sizeof text, "PCT, depth %d, length %llu, memory %s", o->depth,
                 (unsigned long long)o->length, model);
        break;
    case SIM_EXHAUSTIVE:
        snprintf(text, sizeof text, "exhaustive, at most %d deviations, memory %s",
                 o->bound, model);
        break;
    }
    return text;
}

void sim_strategy_begin(void) {
    static const uint32_t chances[] = {1, 2, 8, 32, 128};
    strategy.switch_chance = chances[rt_rand_below(&sim.rand, 5)];
    static const uint32_t stall_chances[] = {0, 32, 256, 2048};
    strategy.stall_chance = stall_chances[rt_rand_below(&sim.rand, 4)];
    strategy.fair_steps = strategy.next_fair = FAIR_STEPS_FIRST;
    strategy.top = TOP_FIRST;
    strategy.changes_count = 0;
    for (int i = 0; i + 1 < sim.options.depth && i < SIM_DEPTH_MAX; i++) {
        strategy.changes[strategy.changes_count++] =
            rt_rand_next(&sim.rand) % sim.options.length;
    }
}

/* Initial priorities are above all that threads can drop to. */
void sim_strategy_thread(struct sim_thread *t) {
    t->priority = 1 + (int64_t)(rt_rand_next(&sim.rand) % TOP_FIRST);
    t->last_step = sim.steps;
}

void sim_strategy_changed(void) {
    strategy.best = NULL;
}

static void fall(struct sim_thread *t) {
    t->priority = --strategy.bottom;
    strategy.best = NULL;
}

static void be_fair(void) {
    struct sim_thread *oldest = sim.runnable[0];
    for (int i = 1; i < sim.runnable_count; i++) {
        if (sim.runnable[i]->last_step < oldest->last_step) {
            oldest = sim.runnable[i];
        }
    }
    if (sim.steps - oldest->last_step >= strategy.fair_steps) {
        oldest->priority = ++strategy.top;
        strategy.best = NULL;
        if (strategy.fair_steps > FAIR_STEPS_LAST) {
            strategy.fair_steps /= 2;
        }
    }
    strategy.next_fair = sim.steps + strategy.fair_steps;
}

static struct sim_thread *highest(void) {
    struct sim_thread *best = sim.runnable[0];
    for (int i = 1; i < sim.runnable_count; i++) {
        if (sim.runnable[i]->priority > best->priority) {
            best = sim.runnable[i];
        }
    }
    return best;
}

static struct sim_thread *choose_by_priority(bool relaxed) {
    for (int i = 0; i < strategy.changes_count; i++) {
        if (strategy.changes[i] == sim.steps) {
            fall(sim.self);
        }
    }
    if (relaxed) {
        fall(sim.self);
    }
    if (sim.steps >= strategy.next_fair) {
        be_fair();
    }
    if (strategy.best == NULL) {
        strategy.best = highest();
    }
    strategy.best->last_step = sim.steps;
    return strategy.best;
}

void sim_stall(struct sim_thread *t, uint64_t steps) {
    strategy.stalled = t;
    strategy.stalled_until = sim.steps + steps;
}

/* Stalls the running thread, sometimes, for up to 2^STALL_LOG2_MAX steps. */
static void stall(void) {
    if (strategy.stalled != NULL && sim.steps >= strategy.stalled_until) {
        strategy.stalled = NULL;
    }
    if (strategy.stalled == NULL && strategy.stall_chance != 0 &&
        sim_chance(strategy.stall_chance)) {
        strategy.stalled = sim.self;
        strategy.stalled_until =
            sim.steps + (UINT64_C(1) << rt_rand_below(&sim.rand, STALL_LOG2_MAX + 1));
    }
}

/* Chooses the stalled thread only if there is no other. */
static struct sim_thread *choose_any(void) {
    uint32_t count = (uint32_t)sim.runnable_count;
    uint32_t i = rt_rand_below(&sim.rand, count);
    if (sim.runnable[i] == strategy.stalled) {
        i = (i + 1) % count;
    }
    return sim.runnable[i];
}

/* In order */

static struct sim_thread *next_by_number(const struct sim_thread *t) {
    struct sim_thread *next = NULL;
    struct sim_thread *first = sim.runnable[0];
    for (int i = 0; i < sim.runnable_count; i++) {
        struct sim_thread *other = sim.runnable[i];
        if (other->id > t->id && (next == NULL || other->id < next->id)) {
            next = other;
        }
        first = other->id < first->id ? other : first;
    }
    return next != NULL ? next : first;
}

/* Whether to deviate here. Only these steps can affect other threads: see explore.c. */
static bool may_deviate(void) {
    return sim_exploring() && sim.runnable_count > 1 &&
           (sim.operand == NULL || sim_explore_shared(sim.operand)) &&
           sim_explore_deviates(SIM_DEVIATE_TURN);
}

/* A relaxed step is no deviation point: a wait loop would make the tree infinite. */
static struct sim_thread *choose_in_order(bool relaxed) {
    struct sim_thread *t = sim.self;
    bool overdue = ++strategy.turn_steps > TURN_STEPS_MAX;
    if (t->state == SIM_RUNNABLE && !relaxed && !overdue) {
        if (!may_deviate()) {
            return t;
        }
        strategy.turn_steps = 0;
        return next_by_number(t);
    }
    strategy.turn_steps = 0;
    struct sim_thread *next = next_by_number(t);
    if (t->state != SIM_RUNNABLE && may_deviate()) {
        next = next_by_number(next);
    }
    return next;
}

struct sim_thread *sim_strategy_choose(bool relaxed) {
    if (sim.options.strategy == SIM_EXHAUSTIVE) {
        return choose_in_order(relaxed);
    }
    if (sim.options.strategy == SIM_PCT) {
        return choose_by_priority(relaxed);
    }
    stall();
    bool stay = sim.self->state == SIM_RUNNABLE && sim.self != strategy.stalled &&
                !relaxed && strategy.switch_chance != 1 &&
                !sim_chance(strategy.switch_chance);
    return stay ? sim.self : choose_any();
}
