/* SPDX-License-Identifier: MIT */
/* What scenarios are written with: choices, counted jobs, threads of the program. */
#include "scenario.h"
#include "explore.h"
#include "oracle.h"
#include "os_sim.h"

#include <string.h>

#define JOBS_MAX 2048

/* What the goroutines of a run did. Plain memory: one thread of the system runs all. */
static struct {
    int started[JOBS_MAX]; /* times that job ran */
    int made;
    int procs;
    struct sim_thread *threads[SIM_FOREIGN_MAX];
    /* not the machine's: a scenario is the same program under every strategy */
    struct rt_rand rand;
} world;

int sim_jobs_ended;

/* The list */

extern const struct sim_scenario *const __start_sim_scenarios[];
extern const struct sim_scenario *const __stop_sim_scenarios[];

int sim_scenario_count(void) {
    return (int)(__stop_sim_scenarios - __start_sim_scenarios);
}

const struct sim_scenario *sim_scenario_at(int i) {
    return __start_sim_scenarios[i];
}

const struct sim_scenario *sim_scenario_find(const char *name) {
    for (int i = 0; i < sim_scenario_count(); i++) {
        if (strcmp(sim_scenario_at(i)->name, name) == 0) {
            return sim_scenario_at(i);
        }
    }
    return NULL;
}

/* Choices */

int sim_pick(int low, int high) {
    if (sim.options.strategy == SIM_EXHAUSTIVE) {
        return low;
    }
    return low + (int)rt_rand_below(&world.rand, (uint32_t)(high - low + 1));
}

void sim_pause_some(int most) {
    for (int n = sim_pick(0, most); n > 0; n--) {
        sim_pause();
    }
}

/* The machine */

static void configure(int procs) {
    world.procs = sim.options.procs != 0 ? sim.options.procs : procs;
    os_sim.cpus = sim_pick(0, 1) ? world.procs + 1 : sim_pick(1, world.procs);
    os_sim.membarrier = sim_pick(0, 7) != 0;
    sim.on_all_asleep = sim_oracle_all_asleep;
    sim.on_turn = sim_oracle_turn;
    tuco_config config = {.procs = world.procs, .slice = sim_pick(0, 1) ? 0 : 50000};
    sim_check(tuco_configure(&config) == 0);
}

static void begin_again(void) {
    world.rand.state = sim.options.seed ^ UINT64_C(0x5ce4a110);
    sim_jobs_clear();
}

/* Few processors most often: there is more going on on each. 16 is the last number with
   asymmetric fences. */
void sim_procs_again(void) {
    static const int procs_of[] = {2, 1, 2, 2, 3, 4, 4, 8, 16, 17, 64};
    configure(procs_of[sim_pick(0, 10)]);
}

void sim_begin(void) {
    begin_again();
    sim_procs_again();
}

void sim_begin_procs(int low, int high) {
    begin_again();
    configure(sim_pick(low, high));
}

int sim_procs(void) {
    return world.procs;
}

void sim_main(int (*main_fn)(void *)) {
    sim_jobs_clear();
    sim_check(tuco_run(main_fn, NULL) == SIM_RESULT);
    sim_check(sim_threads_alive() == 1);
}

void sim_main_twice(int (*main_fn)(void *)) {
    sim_main(main_fn);
    if (sim.options.strategy != SIM_EXHAUSTIVE) {
        sim_main(main_fn);
    }
}

/* Jobs */

void sim_jobs_clear(void) {
    memset(world.started, 0, sizeof world.started);
    world.made = 0;
    sim_jobs_ended = 0;
}

void *sim_job_next(void) {
    sim_check(world.made < JOBS_MAX);
    return (void *)(intptr_t)world.made++;
}

void sim_job_begins(void *job) {
    sim_check(++world.started[(intptr_t)job] == 1);
    sim_pause_some(3);
}

void sim_job_ends(void *job) {
    (void)job;
    sim_jobs_ended++;
}

void sim_job_take_back(void *job) {
    world.started[(intptr_t)job] = 1;
    sim_jobs_ended++;
}

void sim_job(void *job) {
    sim_job_begins(job);
    sim_job_ends(job);
}

int sim_jobs_started(const void *job) {
    return world.started[(intptr_t)job];
}

int sim_jobs_made(void) {
    return world.made;
}

void sim_jobs_check(void) {
    sim_check(sim_jobs_ended == world.made);
    for (int i = 0; i < world.made; i++) {
        sim_check(world.started[i] == 1);
    }
}

static tuco_wg *family; /* what a job's child is counted in */

static void job_with_child(void *job) {
    sim_job_begins(job);
    sim_check(tuco_wg_go(family, sim_job, sim_job_next()) == 0);
    sim_job_ends(job);
}

void sim_jobs_spawn(tuco_wg *wg, int count) {
    family = wg;
    for (int i = 0; i < count; i++) {
        tuco_fn *fn = sim_pick(0, 3) == 3 ? job_with_child : sim_job;
        sim_check(tuco_wg_go(wg, fn, sim_job_next()) == 0);
        sim_pause_some(2);
    }
}

static int awaiting; /* threads in sim_await() */

void sim_await(const int *what, int value) {
    int64_t start_ns = sim.now_ns;
    awaiting++;
    while (*what < value) {
        sim_spin();
        if (sim.runnable_count == awaiting) {
            sim_oracle_others_asleep();
        }
        if (sim.now_ns - start_ns > SIM_LATE_NS) {
            sim_fail("nobody runs a goroutine for %lld ns, although processors are idle",
                     (long long)SIM_LATE_NS);
        }
    }
    awaiting--;
}

/* Threads of the program */

int sim_threads_start(void (*fn)(void *), int count) {
    for (int i = 0; i < count; i++) {
        world.threads[i] = sim_thread_start("foreign", fn, (void *)(intptr_t)i);
        sim_check(world.threads[i] != NULL);
    }
    return count;
}

void sim_threads_join(int count) {
    for (int i = 0; i < count; i++) {
        sim_thread_join(world.threads[i]);
    }
}

void sim_rest(void) {
    static const int64_t spans_ns[] = {0,       100,       10000,     25000,
                                       2000000, 999000000, 1000000000};
    int64_t span_ns = spans_ns[sim_pick(0, 6)];
    if (span_ns > 0) {
        sim_sleep_until(sim.now_ns + span_ns + sim_pick(0, 2000));
    }
    sim_pause_some(20);
}

static const struct sim_thread *next_due(const char *name) {
    const struct sim_thread *due = NULL;
    for (int i = 0; i < sim.threads_end; i++) {
        const struct sim_thread *t = &sim.threads[i];
        if (t->state != SIM_FREE && strcmp(t->name, name) == 0 &&
            (due == NULL || t->deadline_ns < due->deadline_ns)) {
            due = t;
        }
    }
    return due;
}

void sim_rest_until_due(const char *name) {
    const struct sim_thread *t = next_due(name);
    while (t->state == SIM_RUNNABLE) {
        sim_spin();
    }
    if (t->state == SIM_ASLEEP && t->deadline_ns != SIM_NEVER) {
        sim_sleep_until(t->deadline_ns - (int64_t)sim_pick(0, 20) * SIM_STEP_NS);
        sim_pause_some(60);
    }
}
