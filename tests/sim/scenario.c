/* SPDX-License-Identifier: MIT */
/* Helpers for scenarios: choices, counted jobs, threads of the program. */
#include "scenario.h"
#include "explore.h"
#include "gap.h"
#include "oracle.h"
#include "os_sim.h"
#include "sched/sched.h"
#include "sched/syscall/enter.h"
#include "sched/thread/pidle.h"

#include <string.h>

#define JOBS_MAX 2048

/* The state of a run. Plain memory: one thread of the system runs everything. */
static struct {
    int started[JOBS_MAX]; /* how often the job ran */
    int made;
    int procs;
    struct sim_thread *threads[SIM_FOREIGN_MAX];
    /* separate from the machine's: a scenario is the same program under every strategy */
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

void sim_pick_begin(uint64_t seed) {
    world.rand.state = seed ^ UINT64_C(0x5ce4a110);
}

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

static void on_store(const void *p, uint64_t value) {
    sim_oracle_store(p, value);
    sim_gap_stored(p);
}

static void configure(int procs) {
    world.procs = sim.options.procs != 0 ? sim.options.procs : procs;
    os_sim.cpus = sim_pick(0, 1) ? world.procs + 1 : sim_pick(1, world.procs);
    os_sim.membarrier = sim_pick(0, 7) != 0;
    sim.on_all_asleep = sim_oracle_all_asleep;
    sim.on_turn = sim_oracle_turn;
    sim.on_store = on_store;
    sim.on_write = sim_gap_written;
    sim.on_step = sim_gap_step;
    sim.on_sleep = sim_gap_sleep;
    tuco_config config = {.procs = world.procs, .slice = sim_pick(0, 1) ? 0 : 50000};
    sim_check(tuco_configure(&config) == 0);
}

/* Mostly few processors, so that each is busy. 16 is the largest number with asymmetric
   fences. */
void sim_procs_again(void) {
    static const int procs_of[] = {2, 1, 2, 2, 3, 4, 4, 8, 16, 17, 64};
    configure(procs_of[sim_pick(0, 10)]);
}

void sim_begin(void) {
    sim_jobs_clear();
    sim_procs_again();
}

void sim_begin_procs(int low, int high) {
    sim_jobs_clear();
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

bool sim_threads_lack;

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

void sim_job_yields(void *job) {
    sim_job_begins(job);
    for (int i = sim_pick(0, 6); i > 0; i--) {
        tuco_yield();
    }
    sim_job_ends(job);
}

void sim_job_sleeps(void *job) {
    sim_job_begins(job);
    for (int i = sim_pick(1, 3); i > 0; i--) {
        tuco_sleep(sim_pick(0, 60) * TUCO_MICROSECOND);
    }
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

static tuco_wg *family; /* counts the children of jobs */

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

void sim_await(const int *what, int value) {
    int64_t start_ns = sim.now_ns;
    sim_compute(true);
    while (*what < value) {
        sim_spin();
        if (sim.runnable_count == sim.computing) {
            sim_oracle_others_asleep();
        }
        if (sim.now_ns - start_ns > SIM_LATE_NS) {
            sim_fail("no goroutine runs for %lld ns, although processors are idle",
                     (long long)SIM_LATE_NS);
        }
    }
    sim_compute(false);
}

/* Goroutines that compute without calls */

#define HOG_TURN_NS ((int64_t)20 * 1000)

/* Longer than sysmon takes to request a yield if goroutines wait and the slice is
   short. */
#define HOG_ASKED_NS ((int64_t)8 * 1000 * 1000)

static void hog_turn(void) {
    sim_spin();
    sim.now_ns += HOG_TURN_NS; /* deadlines due by then expire at the next step */
    sim.self->computed_ns += HOG_TURN_NS;
}

void sim_hog(int64_t ns) {
    bool to_signal = sim_pick(0, 3) != 0;
    for (int64_t end_ns = sim.now_ns + ns; sim.now_ns < end_ns;) {
        if (to_signal && sim.self->signals_pending != 0) {
            return;
        }
        hog_turn();
    }
}

void sim_hog_until(const int *what, int value) {
    int64_t start_ns = sim.now_ns;
    while (*what < value) {
        hog_turn();
        if (sim.now_ns - start_ns > SIM_HOG_LATE_NS) {
            sim_fail("no other goroutine has had its turn for %lld ns",
                     (long long)SIM_HOG_LATE_NS);
        }
    }
}

void sim_hog_until_asked(void) {
    int64_t end_ns = sim.now_ns + HOG_ASKED_NS;
    const struct rt_m *m = arch_self();
    while (sim.now_ns < end_ns &&
           (sim_load_own(&m->asked, sizeof m->asked) & RT_ASKED_YIELD) == 0) {
        hog_turn();
    }
}

bool sim_aim_at(const char *function, int tries) {
    if (!sim_site_exists(function)) {
        sim_fail("no function %s has a step", function);
    }
    for (; tries > 0; tries--) {
        for (int i = 0; i < sim.threads_end; i++) {
            struct sim_thread *t = &sim.threads[i];
            if (t->state == SIM_RUNNABLE && t->site != NULL &&
                strcmp(t->site->function, function) == 0) {
                sim_stall(t, (uint64_t)sim_pick(1, 60));
                return true;
            }
        }
        sim_pause();
    }
    return false;
}

void sim_forget_habits(void) {
    for (uint32_t i = 0; i < rt_sched_ps_end(); i++) {
        struct rt_p *p = &rt_sched.ps[i];
        memset(p->habits, 0, sizeof p->habits);
    }
}

bool sim_has_lost_p(void) {
    const struct rt_m *m = arch_self();
    return (sim_load_own(&m->asked, sizeof m->asked) & RT_ASKED_TAKEN) != 0;
}

/* Then sysmon has had the time to recall the goroutine while no P was idle. */
#define HOG_IDLE_NS (SIM_HOG_LATE_NS / 4)

void sim_hog_until_attached(void) {
    int64_t start_ns = sim.now_ns;
    while (sim_has_lost_p()) {
        hog_turn();
        if (sim.now_ns - start_ns > HOG_IDLE_NS && rt_pidle_ps(rt_pidle.word) > 0) {
            return;
        }
        if (sim.now_ns - start_ns > SIM_HOG_LATE_NS) {
            sim_fail("a goroutine has computed without a P for %lld ns",
                     (long long)SIM_HOG_LATE_NS);
        }
    }
}

static struct {
    struct sim_thread *thread;
    uint32_t times; /* what sim_block() sleeps on */
    bool ends;
    int looks;
    bool urges;
} unblocker;

void sim_block(void) {
    uint32_t times = unblocker.times;
    sim_pause();
    bool woken = true;
    while (woken && unblocker.times == times) {
        sim.blocked++;
        sim.self->word = &unblocker.times;
        woken = sim_sleep_until(SIM_NEVER); /* or until unblock_at() */
        sim.blocked--;
    }
}

void sim_unblock_all(void) {
    unblocker.times++;
    sim_wake_word(&unblocker.times, SIM_THREADS_MAX);
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

static bool is_blocked(const struct sim_thread *t) {
    return t->state == SIM_ASLEEP && t->word == &unblocker.times;
}

/* Needs no other thread's turn: t wakes by the clock, perhaps with a signal pending. */
static void unblock_at(struct sim_thread *t, int64_t at_ns) {
    bool urged = unblocker.urges && sim_pick(0, 3) != 0;
    t->signals_pending |= urged ? UINT32_C(1) << OS_SIM_URGENT : 0;
    t->deadline_ns = at_ns;
    sim.next_deadline_ns = at_ns < sim.next_deadline_ns ? at_ns : sim.next_deadline_ns;
}

/* os_thread_cpu() is out of date when it returns: the thread wakes within so many
   steps. */
#define OLD_STEPS 16

static void unblock_found_asleep(struct sim_thread *t) {
    if (is_blocked(t) && sim_pick(0, 1)) {
        unblock_at(t, sim.now_ns + (int64_t)sim_pick(0, OLD_STEPS) * SIM_STEP_NS);
    }
}

/* Stores a random time between from and to steps after the thread's deadline; negative:
   before it. Returns false if the thread does not sleep with a deadline. */
static bool near_due(const char *name, int from, int to, int64_t *at_ns) {
    const struct sim_thread *t = next_due(name);
    if (t == NULL || t->state != SIM_ASLEEP || t->deadline_ns == SIM_NEVER) {
        return false;
    }
    *at_ns = t->deadline_ns + (int64_t)sim_pick(from, to) * SIM_STEP_NS;
    return true;
}

void sim_sleep_near_due(const char *name, int from, int to) {
    int64_t at_ns;
    if (near_due(name, from, to, &at_ns)) {
        sim_sleep_until(at_ns);
    }
}

static void unblock_again_and_again(void *unused) {
    (void)unused;
    while (!unblocker.ends) {
        for (int looks = sim_pick(1, unblocker.looks); looks > 0; looks--) {
            sim_sleep_until_due("tuco-sysmon");
            sim_spin();
        }
        sim_unblock_all();
    }
}

void sim_unblocker_start(int looks, bool urges) {
    unblocker.ends = false;
    unblocker.looks = looks;
    unblocker.urges = urges;
    os_sim.on_found_asleep = unblock_found_asleep;
    unblocker.thread = sim_thread_start(SIM_UNBLOCKER, unblock_again_and_again, NULL);
    sim_check(unblocker.thread != NULL);
}

void sim_unblocker_join(void) {
    unblocker.ends = true;
    sim_thread_join(unblocker.thread);
}

void sim_main_beside_unblocker(int (*main_fn)(void *), int looks, bool urges) {
    sim_jobs_clear();
    sim_unblocker_start(looks, urges);
    sim_check(tuco_run(main_fn, NULL) == SIM_RESULT);
    sim_unblocker_join();
    sim_check(sim_threads_alive() == 1);
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

void sim_sleep_some(void) {
    static const int64_t spans_ns[] = {0,       100,       10000,     25000,
                                       2000000, 999000000, 1000000000};
    int64_t span_ns = spans_ns[sim_pick(0, 6)];
    if (span_ns > 0) {
        sim_sleep_until(sim.now_ns + span_ns + sim_pick(0, 2000));
    }
    sim_pause_some(20);
}

void sim_sleep_until_due(const char *name) {
    const struct sim_thread *t = next_due(name);
    if (t == NULL) {
        return;
    }
    while (t->state == SIM_RUNNABLE) {
        sim_spin();
    }
    if (t->state == SIM_ASLEEP && t->deadline_ns != SIM_NEVER) {
        sim_sleep_until(t->deadline_ns - (int64_t)sim_pick(0, 20) * SIM_STEP_NS);
        sim_pause_some(60);
    }
}
