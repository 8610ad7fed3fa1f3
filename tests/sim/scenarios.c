/* SPDX-License-Identifier: MIT */
/* The programs that are run on the simulated machine: small uses of the public interface
   with everything that could be counted counted. */
#include "scenario.h"
#include "machine.h"
#include "oracle.h"
#include "os/fault.h"
#include "os_sim.h"

#include <errno.h>
#include <string.h>
#include <tuco.h>

#define JOBS_MAX    1024
#define PAIRS_MAX   16
#define ROUNDS_MAX  16
#define FOREIGN_MAX 8
#define RESULT      42
#define LATE_NS     ((int64_t)200 * 1000 * 1000)

/* What the goroutines of a run did. Plain memory: one thread of the system runs all. */
static struct {
    int started[JOBS_MAX]; /* times that job ran */
    int jobs;              /* spawned so far */
    int ended;
    tuco_wg wg;
    tuco_wg x[PAIRS_MAX][ROUNDS_MAX];
    tuco_wg y[PAIRS_MAX][ROUNDS_MAX];
    int rounds;
    bool closing;
    bool several;   /* there is more than one processor */
    bool computing; /* a goroutine computes until another has run */
} world;

/* Choices of the scenario, not of the machine: so that a scenario is the same program
   under both strategies. */
static struct rt_rand scenario_rand;

int sim_pick(int low, int high) {
    return low + (int)rt_rand_below(&scenario_rand, (uint32_t)(high - low + 1));
}

/* The size of the machine. Few processors most often: there is more going on on each. 16
   is the last number with asymmetric fences. */
static void configure(void) {
    static const int procs_of[] = {1, 2, 2, 2, 3, 4, 4, 8, 16, 17, 64};
    int procs = procs_of[sim_pick(0, 10)];
    if (sim.options.procs != 0) {
        procs = sim.options.procs;
    }
    world.several = procs > 1;
    os_sim.cpus = sim_pick(0, 1) ? procs + 1 : sim_pick(1, procs);
    os_sim.membarrier = sim_pick(0, 7) != 0;
    sim.on_all_asleep = sim_oracle_all_asleep;
    tuco_config config = {.procs = procs, .slice = sim_pick(0, 1) ? 0 : 50000};
    sim_check(tuco_configure(&config) == 0);
}

/* For scenarios that need a certain number. */
static void configure_procs(int procs) {
    tuco_config config = {.procs = procs};
    sim_check(tuco_configure(&config) == 0);
}

/* Waits without calling the library until *what is at least value: others have to do it,
   and soon. A P that was forgotten looks by itself after a second: that is too late. */
static void await(const int *what, int value) {
    int64_t start_ns = sim.now_ns;
    while (*what < value) {
        sim_spin();
        if (sim.now_ns - start_ns > LATE_NS) {
            sim_fail("nobody runs a goroutine for %lld ns, although processors are idle",
                     (long long)LATE_NS);
        }
    }
}

static void begin(void) {
    scenario_rand.state = sim.options.seed ^ UINT64_C(0x5ce4a110);
    memset(&world, 0, sizeof world);
    configure();
}

static void pause_some(int most) {
    for (int n = sim_pick(0, most); n > 0; n--) {
        sim_pause();
    }
}

/* Jobs: each is to run once */

static void job_begins(void *raw) {
    int job = (int)(intptr_t)raw;
    sim_check(++world.started[job] == 1);
    pause_some(3);
}

static void job(void *raw) {
    job_begins(raw);
    world.ended++;
}

static void *next_job(void) {
    sim_check(world.jobs < JOBS_MAX);
    return (void *)(intptr_t)world.jobs++;
}

/* For a spawn that failed. */
static void take_back_job(void *raw) {
    world.started[(intptr_t)raw] = 1;
    world.ended++;
}

static void check_jobs(void) {
    sim_check(world.ended == world.jobs);
    for (int i = 0; i < world.jobs; i++) {
        sim_check(world.started[i] == 1);
    }
}

static void job_with_child(void *raw) {
    job_begins(raw);
    sim_check(tuco_wg_go(&world.wg, job, next_job()) == 0);
    world.ended++;
}

static void spawn_jobs(int count) {
    for (int i = 0; i < count; i++) {
        tuco_fn *fn = sim_pick(0, 3) == 0 ? job_with_child : job;
        sim_check(tuco_wg_go(&world.wg, fn, next_job()) == 0);
        pause_some(2);
    }
}

/* Runs main_fn in the runtime, twice, and sees that nothing is left of it. */
static void run_twice(int (*main_fn)(void *)) {
    for (int i = 0; i < 2; i++) {
        sim_check(tuco_run(main_fn, NULL) == RESULT);
        sim_check(sim_threads_alive() == 1);
    }
}

/* storm, refused, migrate */

static int storm_main(void *unused) {
    (void)unused;
    int most = sim_pick(0, 7) == 0 ? 400 : 20;
    spawn_jobs(sim_pick(1, most));
    tuco_wg_wait(&world.wg);
    check_jobs();
    memset(&world, 0, sizeof world);
    return RESULT;
}

static void scenario_storm(void) {
    begin();
    run_twice(storm_main);
}

static void scenario_migrate(void) {
    begin();
    os_sim.debug = "migrate=1";
    run_twice(storm_main);
}

static int refused_calls;
static int refused_chance;
static int refused_until;

static int refuse_thread(enum os_fault_kind kind) {
    if (kind != OS_FAULT_THREAD) {
        return 0;
    }
    /* The first is the monitor, without which nothing starts. */
    bool refused = ++refused_calls > 1 && refused_calls < refused_until &&
                   sim_chance((uint32_t)refused_chance);
    return refused ? EAGAIN : 0;
}

static void scenario_refused(void) {
    begin();
    refused_calls = 0;
    refused_chance = sim_pick(1, 3);
    refused_until = sim_pick(0, 1) ? 1000000 : sim_pick(2, 12);
    os_fault_hook = refuse_thread;
    sim_check(tuco_run(storm_main, NULL) == RESULT);
    sim_check(sim_threads_alive() == 1);
}

static int refuse_stack(enum os_fault_kind kind) {
    return kind == OS_FAULT_RESERVE && refused_calls++ > 1 && sim_chance(2) ? ENOMEM : 0;
}

static void waiting_job(void *raw) {
    job_begins(raw);
    tuco_yield();
    world.ended++;
}

/* A slab of descriptors and a first one of stacks, then some: each burst needs more. */
static int starved_main(void *unused) {
    (void)unused;
    for (int i = sim_pick(20, 80); i > 0; i--) {
        void *arg = next_job();
        if (tuco_wg_go(&world.wg, waiting_job, arg) != 0) {
            take_back_job(arg);
        }
    }
    tuco_wg_wait(&world.wg);
    check_jobs();
    return RESULT;
}

static void scenario_starved(void) {
    begin();
    refused_calls = 0;
    os_fault_hook = refuse_stack;
    sim_check(tuco_run(starved_main, NULL) == RESULT);
    sim_check(sim_threads_alive() == 1);
}

/* tree */

static void node(void *raw) {
    int depth = (int)(intptr_t)raw;
    tuco_wg children = {0};
    world.ended++;
    if (depth == 0) {
        return;
    }
    for (int i = 0; i < 2; i++) {
        sim_check(tuco_wg_go(&children, node, (void *)(intptr_t)(depth - 1)) == 0);
    }
    tuco_wg_wait(&children);
}

static int tree_main(void *unused) {
    (void)unused;
    int depth = sim_pick(1, 6);
    world.ended = 0;
    node((void *)(intptr_t)depth);
    sim_check(world.ended == (2 << depth) - 1);
    return RESULT;
}

static void scenario_tree(void) {
    begin();
    run_twice(tree_main);
}

/* compute */

static int compute_main(void *unused) {
    (void)unused;
    for (int round = sim_pick(1, 6); round > 0; round--) {
        /* The last one stays in the next slot, for the monitor to see to. */
        for (int i = sim_pick(1, 4); i > 0; i--) {
            sim_check(tuco_go(job, next_job()) == 0);
        }
        await(&world.ended, world.jobs);
        pause_some(sim_pick(0, 1) ? 5 : 200);
    }
    /* They have said that they end, and have not ended yet. */
    while (tuco_count() > 1) {
        tuco_yield();
    }
    check_jobs();
    return RESULT;
}

static void scenario_compute(void) {
    begin();
    sim.steady = true;
    if (sim.options.procs == 0) {
        /* with one processor nobody else could run them */
        configure_procs(sim_pick(0, 3) == 0 ? 8 : sim_pick(2, 3));
    }
    sim_check(tuco_run(compute_main, NULL) == RESULT);
    sim_check(sim_threads_alive() == 1);
}

/* crowd */

static struct {
    int size; /* as many as processors */
    int arrived;
} crowd;

/* Whoever has not arrived is queued or about to be, and then a processor is free for
   it. */
static void crowd_arrive(void) {
    int round = crowd.arrived++ / crowd.size;
    await(&crowd.arrived, (round + 1) * crowd.size);
}

static void crowd_member(void *unused) {
    (void)unused;
    pause_some(4);
    crowd_arrive();
}

static int crowd_main(void *unused) {
    (void)unused;
    for (int round = sim_pick(1, 4); round > 0; round--) {
        for (int i = 1; i < crowd.size; i++) {
            if (sim_pick(0, 1)) {
                sim_check(tuco_wg_go(&world.wg, job, next_job()) == 0);
            }
            sim_check(tuco_wg_go(&world.wg, crowd_member, NULL) == 0);
            pause_some(8);
        }
        crowd_arrive();
        tuco_wg_wait(&world.wg);
    }
    check_jobs();
    return RESULT;
}

static void scenario_crowd(void) {
    begin();
    sim.steady = true;
    int procs = sim.options.procs > 1 ? sim.options.procs : sim_pick(2, 5);
    configure_procs(procs);
    crowd.size = procs;
    sim_check(tuco_run(crowd_main, NULL) == RESULT);
    sim_check(sim_threads_alive() == 1);
}

/* hog */

static int hog_may_end;

static void hog(void *raw) {
    job_begins(raw);
    await(&hog_may_end, 1);
    world.ended++;
}

static int hog_main(void *unused) {
    (void)unused;
    for (int round = sim_pick(1, 5); round > 0; round--) {
        hog_may_end = 0;
        sim_check(tuco_wg_go(&world.wg, hog, next_job()) == 0);
        pause_some(100);
        tuco_yield(); /* to the hog, or it was stolen */
        hog_may_end = 1;
        tuco_wg_wait(&world.wg);
    }
    check_jobs();
    return RESULT;
}

static void scenario_hog(void) {
    begin();
    sim.steady = true;
    configure_procs(sim.options.procs > 1 ? sim.options.procs : sim_pick(2, 4));
    sim_check(tuco_run(hog_main, NULL) == RESULT);
    sim_check(sim_threads_alive() == 1);
}

/* ping_pong */

static void ping(void *raw) {
    int pair = (int)(intptr_t)raw;
    for (int i = 0; i < world.rounds; i++) {
        tuco_wg_done(&world.x[pair][i]);
        tuco_wg_wait(&world.y[pair][i]);
    }
    world.ended++;
}

static void pong(void *raw) {
    int pair = (int)(intptr_t)raw;
    for (int i = 0; i < world.rounds; i++) {
        tuco_wg_wait(&world.x[pair][i]);
        pause_some(4);
        tuco_wg_done(&world.y[pair][i]);
    }
    world.ended++;
}

static int ping_pong_main(void *unused) {
    (void)unused;
    int pairs = sim_pick(1, sim_pick(0, 3) == 0 ? PAIRS_MAX : 3);
    world.rounds = sim_pick(1, ROUNDS_MAX);
    for (int pair = 0; pair < pairs; pair++) {
        for (int i = 0; i < world.rounds; i++) {
            tuco_wg_add(&world.x[pair][i], 1);
            tuco_wg_add(&world.y[pair][i], 1);
        }
        sim_check(tuco_wg_go(&world.wg, ping, (void *)(intptr_t)pair) == 0);
        sim_check(tuco_wg_go(&world.wg, pong, (void *)(intptr_t)pair) == 0);
    }
    tuco_wg_wait(&world.wg);
    sim_check(world.ended == 2 * pairs);
    memset(&world, 0, sizeof world);
    return RESULT;
}

static void scenario_ping_pong(void) {
    begin();
    run_twice(ping_pong_main);
}

/* yield */

static void yielding_job(void *raw) {
    job_begins(raw);
    for (int i = sim_pick(0, 8); i > 0; i--) {
        tuco_yield();
    }
    world.ended++;
}

static int yield_main(void *unused) {
    (void)unused;
    for (int i = sim_pick(1, 12); i > 0; i--) {
        sim_check(tuco_wg_go(&world.wg, yielding_job, next_job()) == 0);
        tuco_yield();
    }
    tuco_wg_wait(&world.wg);
    check_jobs();
    memset(&world, 0, sizeof world);
    return RESULT;
}

static void scenario_yield(void) {
    begin();
    run_twice(yield_main);
}

/* Threads of the program */

static struct sim_thread *threads[FOREIGN_MAX];

static int start_threads(void (*fn)(void *), int count) {
    for (int i = 0; i < count; i++) {
        threads[i] = sim_thread_start("foreign", fn, (void *)(intptr_t)i);
        sim_check(threads[i] != NULL);
    }
    return count;
}

static void join_threads(int count) {
    for (int i = 0; i < count; i++) {
        sim_thread_join(threads[i]);
    }
}

/* So long that the runtime is busy, lingers, sleeps, or gives its caches back. */
static void rest(void) {
    static const int64_t spans_ns[] = {0,       100,       10000,     25000,
                                       2000000, 999000000, 1000000000};
    int64_t span_ns = spans_ns[sim_pick(0, 6)];
    if (span_ns > 0) {
        sim_sleep_until(sim.now_ns + span_ns + sim_pick(0, 2000));
    }
    pause_some(20);
}

/* foreign */

/* Its child stays in the next slot until the monitor has somebody steal it. */
static void computing_job(void *raw) {
    job_begins(raw);
    int child = (int)(intptr_t)next_job();
    sim_check(tuco_wg_go(&world.wg, job, (void *)(intptr_t)child) == 0);
    while (world.started[child] == 0) {
        sim_spin(); /* for as long as it takes: time may jump here */
    }
    world.computing = false;
    world.ended++;
}

/* One at a time, and not on the only processor. */
static void spawn_computing_job(void) {
    if (world.several && !world.computing) {
        world.computing = true;
        sim_check(tuco_wg_go(&world.wg, computing_job, next_job()) == 0);
    }
}

static void foreign_thread(void *unused) {
    (void)unused;
    for (int burst = sim_pick(1, 4); burst > 0; burst--) {
        rest();
        spawn_computing_job();
        spawn_jobs(sim_pick(0, 3));
        if (sim_pick(0, 1)) {
            tuco_wg_wait(&world.wg);
        }
    }
}

static void scenario_foreign(void) {
    begin();
    sim_check(tuco_start() == 0);
    join_threads(start_threads(foreign_thread, sim_pick(1, 3)));
    tuco_wg_wait(&world.wg);
    check_jobs();
    sim_check(tuco_stop(TUCO_NEVER) == 0);
    sim_check(tuco_count() == 0);
    sim_check(sim_threads_alive() == 1);
}

/* foreign_wait */

static void foreign_ping(void *raw) {
    tuco_foreign_enter();
    ping(raw);
    tuco_foreign_exit();
}

static int foreign_wait_main(void *raw) {
    int pairs = *(int *)raw;
    for (int pair = 0; pair < pairs; pair++) {
        sim_check(tuco_wg_go(&world.wg, pong, (void *)(intptr_t)pair) == 0);
    }
    tuco_wg_wait(&world.wg);
    return RESULT;
}

static void scenario_foreign_wait(void) {
    begin();
    int pairs = sim_pick(1, 3);
    world.rounds = sim_pick(1, 6);
    for (int pair = 0; pair < pairs; pair++) {
        for (int i = 0; i < world.rounds; i++) {
            tuco_wg_add(&world.x[pair][i], 1);
            tuco_wg_add(&world.y[pair][i], 1);
        }
    }
    /* Announced from here: a thread that has not begun yet will still come. */
    tuco_foreign_enter();
    start_threads(foreign_ping, pairs);
    sim_check(tuco_run(foreign_wait_main, &pairs) == RESULT);
    join_threads(pairs);
    tuco_foreign_exit();
    sim_check(world.ended == 2 * pairs);
    sim_check(sim_threads_alive() == 1);
}

/* restart */

static void hammer_thread(void *unused) {
    (void)unused;
    while (!world.closing && world.jobs < JOBS_MAX / 2) {
        void *arg = next_job();
        int error = tuco_go(job, arg);
        sim_check(error == 0 || error == -ESRCH);
        if (error != 0) {
            take_back_job(arg);
        }
        pause_some(10);
    }
}

static void scenario_restart(void) {
    begin();
    int count = start_threads(hammer_thread, sim_pick(0, 2));
    for (int i = sim_pick(2, 4); i > 0; i--) {
        if (sim_pick(0, 3) == 0) {
            configure();
        }
        sim_check(tuco_start() == 0);
        for (int n = sim_pick(0, 5); n > 0; n--) {
            sim_check(tuco_go(job, next_job()) == 0);
        }
        sim_check(tuco_stop(TUCO_NEVER) == 0);
    }
    world.closing = true;
    join_threads(count);
    check_jobs();
    sim_check(tuco_stop(TUCO_NEVER) == -EINVAL);
    sim_check(sim_threads_alive() == 1);
}

/* stop_late */

/* Goes on until the scenario says otherwise: too many to keep account of each. */
static void chain(void *unused) {
    (void)unused;
    pause_some(3);
    if (!world.closing) {
        world.jobs++;
        sim_check(tuco_go(chain, NULL) == 0);
    }
    world.ended++;
}

static void scenario_stop_late(void) {
    begin();
    sim_check(tuco_start() == 0);
    for (int i = sim_pick(1, 3); i > 0; i--) {
        world.jobs++;
        sim_check(tuco_go(chain, NULL) == 0);
    }
    sim_check(tuco_stop(tuco_deadline(sim_pick(1, 3000))) == -ETIMEDOUT);
    world.closing = true;
    sim_check(tuco_stop(TUCO_NEVER) == 0);
    sim_check(world.ended == world.jobs);
    sim_check(sim_threads_alive() == 1);
}

/* left, deadlock, main_exits */

static void wait_for_ever(void *unused) {
    (void)unused;
    tuco_wg_wait(&world.wg);
    sim_fail("a wait group that nobody takes to zero let a waiter go");
}

static int left_main(void *unused) {
    (void)unused;
    tuco_wg_add(&world.wg, 1);
    for (int i = sim_pick(0, 10); i > 0; i--) {
        sim_check(tuco_go(sim_pick(0, 1) ? wait_for_ever : yielding_job, next_job()) ==
                  0);
    }
    pause_some(300);
    return RESULT;
}

static void scenario_left(void) {
    begin();
    sim_check(tuco_run(left_main, NULL) == RESULT);
    sim_check(sim_threads_alive() == 1);
}

static int deadlock_main(void *unused) {
    left_main(unused);
    wait_for_ever(NULL);
    return 0;
}

static void scenario_deadlock(void) {
    begin();
    os_sim.expected_end = "all goroutines are asleep - deadlock!";
    sim_fail("tuco_run returned %d", tuco_run(deadlock_main, NULL));
}

static int main_exits_main(void *unused) {
    (void)unused;
    for (int i = sim_pick(0, 10); i > 0; i--) {
        sim_check(tuco_go(yielding_job, next_job()) == 0);
    }
    tuco_exit();
}

static void scenario_main_exits(void) {
    begin();
    os_sim.expected_end = "no goroutines (main called runtime.Goexit) - deadlock!";
    sim_fail("tuco_run returned %d", tuco_run(main_exits_main, NULL));
}

const struct sim_scenario sim_scenarios[] = {
#define SIM_SCENARIO(name, summary) {#name, summary, scenario_##name},
#include "scenarios.def"
#undef SIM_SCENARIO
};

const int sim_scenarios_count = sizeof sim_scenarios / sizeof sim_scenarios[0];
