/* SPDX-License-Identifier: MIT */
/* Whose turn it is: random walk, or priorities that change at few random steps (PCT). */
#include "machine.h"

/*
 * Random walk. At each step, with a chance that is fixed for the run, the turn goes to
 * any runnable thread. A chance of one lets all threads go on side by side; a small one
 * lets each go far before the next. Which is better depends on the bug, so each run draws
 * one.
 *
 * In some runs a thread is stalled every now and then, as if the kernel had taken its CPU
 * away: it has no turn for a long while, however much others wait for it.
 *
 * PCT (Burckhardt, Kothari, Musuvathi, Nagarakatte, 2010: probabilistic concurrency
 * testing). Each thread has a random priority and the highest runnable one has the turn,
 * always; at depth - 1 random steps of the expected length the running thread falls below
 * all that have not fallen yet. A bug that takes an order of depth steps to show is found
 * with a probability of at least 1/(threads * length^(depth-1)) a run, far more often in
 * practice.
 *
 * A thread that turns in a wait loop falls to the bottom, or nobody would end its wait.
 * For wait loops that say nothing, and for two threads that keep each other going: a
 * thread that could have gone on for fair_steps and had no turn rises to the top. Each
 * time that happens it takes half as many the next time, so that a long run becomes a
 * fair one. Neither is covered by PCT's proof.
 */

#define STALL_LOG2_MAX   13
#define FAIR_STEPS_FIRST 16384
#define FAIR_STEPS_LAST  64
#define TOP_FIRST        ((int64_t)1 << 62)

static struct {
    /* Random walk: one in so many steps. */
    uint32_t switch_chance;
    uint32_t stall_chance; /* 0: never */
    struct sim_thread *stalled;
    uint64_t stalled_until; /* the step */

    /* PCT. */
    struct sim_thread *best; /* NULL: to be looked for */
    uint64_t changes[SIM_DEPTH_MAX];
    int changes_count;
    int64_t bottom; /* lower than the priority of any thread */
    int64_t top;    /* higher */
    uint64_t fair_steps;
    uint64_t next_fair; /* the step of the next look for who waits too long */
} strategy;

bool sim_chance(uint32_t n) {
    return rt_rand_below(&sim.rand, n) == 0;
}

void sim_strategy_begin(void) {
    static const uint32_t chances[] = {1, 2, 8, 32, 128};
    strategy.switch_chance = chances[rt_rand_below(&sim.rand, 5)];
    static const uint32_t stall_chances[] = {0, 256, 2048};
    strategy.stall_chance = stall_chances[rt_rand_below(&sim.rand, 3)];
    strategy.fair_steps = strategy.next_fair = FAIR_STEPS_FIRST;
    strategy.top = TOP_FIRST;
    strategy.changes_count = 0;
    for (int i = 0; i + 1 < sim.options.depth && i < SIM_DEPTH_MAX; i++) {
        strategy.changes[strategy.changes_count++] =
            rt_rand_next(&sim.rand) % sim.options.length;
    }
}

/* New priorities are above all that threads can fall to. */
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

/* The running thread loses its CPU for up to 2^STALL_LOG2_MAX steps. */
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

/* The stalled one only if there is no other. */
static struct sim_thread *choose_any(void) {
    uint32_t count = (uint32_t)sim.runnable_count;
    uint32_t i = rt_rand_below(&sim.rand, count);
    if (sim.runnable[i] == strategy.stalled) {
        i = (i + 1) % count;
    }
    return sim.runnable[i];
}

struct sim_thread *sim_strategy_choose(bool relaxed) {
    if (sim.options.strategy == SIM_PCT) {
        return choose_by_priority(relaxed);
    }
    stall();
    bool stay = sim.self->state == SIM_RUNNABLE && sim.self != strategy.stalled &&
                !relaxed && strategy.switch_chance != 1 &&
                !sim_chance(strategy.switch_chance);
    return stay ? sim.self : choose_any();
}
