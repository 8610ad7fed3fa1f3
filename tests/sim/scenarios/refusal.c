/* SPDX-License-Identifier: MIT */
/* A kernel that refuses threads and memory. */
#include "os/fault.h"
#include "os_sim.h"
#include "scenario.h"

#include <errno.h>
#include <string.h>

#define REFUSED_NS ((int64_t)25 * 1000 * 1000)
#define BURSTS_MAX 12
#define GATES_MAX  12

/* The first threads are the starter and sysmon, without which nothing starts. */
#define HELPERS 2

#define SECOND_NS ((int64_t)1000 * 1000 * 1000)

/* How often sysmon retries, and so how late a report may be. */
#define REPORT_LATE_NS (SECOND_NS / 10)

static tuco_wg all;
static int calls;
static int chance;
static int until;

static int refuse_thread(enum os_fault_kind kind) {
    if (kind != OS_FAULT_THREAD) {
        return 0;
    }
    bool refused = ++calls > HELPERS && calls < until && sim_pick(1, chance) == 1;
    return refused ? EAGAIN : 0;
}

static int refused_main(void *unused) {
    (void)unused;
    sim_jobs_spawn(&all, sim_pick(1, sim_pick(0, 7) == 7 ? 400 : 20));
    tuco_wg_wait(&all);
    sim_jobs_check();
    return SIM_RESULT;
}

SIM_SCENARIO(refused, "threads cannot be started now and then, or never") {
    sim_begin();
    chance = sim_pick(1, 3);
    until = sim_pick(0, 1) ? 1000000 : HELPERS + sim_pick(1, 11);
    os_fault_hook = refuse_thread;
    sim_main(refused_main);
}

/* Threads are counted as spinning Ms until the kernel refuses them: an M has to replace
   them for the wakers that relied on them. There is one thread beside main's, or none at
   first. */
static int allowed;
static int lucky; /* the try that succeeds in any case */
static tuco_wg together;

static int refuse_more_threads(enum os_fault_kind kind) {
    if (kind != OS_FAULT_THREAD || ++calls <= allowed || calls == lucky) {
        return 0;
    }
    return sim_pick(0, 15) != 0 ? EAGAIN : 0;
}

static void wait_for_others(void *job) {
    sim_job_begins(job);
    tuco_wg_wait(&together);
    sim_job_ends(job);
}

static int refused_crowd_main(void *unused) {
    (void)unused;
    for (int round = sim_pick(1, 6); round > 0; round--) {
        tuco_wg_add(&together, 1);
        for (int i = sim_pick(1, 6); i > 0; i--) {
            sim_check(tuco_wg_go(&all, wait_for_others, sim_job_next()) == 0);
        }
        for (int i = sim_pick(0, 6); i > 0; i--) {
            tuco_yield();
        }
        sim_pause_some(60);
        tuco_wg_done(&together); /* wakes the waiters, several at once */
        /* The other thread runs them, as soon as there is one: main computes. */
        sim_await(&sim_jobs_ended, sim_jobs_made());
        tuco_wg_wait(&all);
    }
    sim_jobs_check();
    return SIM_RESULT;
}

SIM_SCENARIO(refused_relied, "threads are refused while others rely on them") {
    sim_begin_procs(3, 6);
    sim.steady = true;
    allowed = HELPERS + sim_pick(0, 2);
    lucky = HELPERS + sim_pick(1, 7);
    os_fault_hook = refuse_more_threads;
    sim_main(refused_crowd_main);
}

/* There is one thread. Just when it runs out of work several goroutines become runnable
   at once, by a thread outside. */
static void submit_bursts(void *unused) {
    (void)unused;
    for (int round = sim_pick(1, 12); round > 0; round--) {
        tuco_wg_add(&together, 1);
        for (int i = sim_pick(2, 4); i > 0; i--) {
            sim_check(tuco_wg_go(&all, wait_for_others, sim_job_next()) == 0);
        }
        sim_sleep_until(sim.now_ns + REFUSED_NS);
        sim_check(tuco_wg_go(&all, sim_job, sim_job_next()) == 0);
        sim_pause_some(120);
        tuco_wg_done(&together);
        sim_await(&sim_jobs_ended, sim_jobs_made());
    }
}

SIM_SCENARIO(refused_outside,
             "the only thread runs out of work, and others are refused") {
    sim_begin_procs(3, 6);
    sim.steady = true;
    allowed = HELPERS + 1;
    os_fault_hook = refuse_more_threads;
    sim_check(tuco_start() == 0);
    sim_threads_join(sim_threads_start(submit_bursts, 1));
    tuco_wg_wait(&all);
    sim_jobs_check();
    sim_check(tuco_stop(TUCO_NEVER) == 0);
    sim_check(sim_threads_alive() == 1);
}

/* There is one thread beside main's. Just when it runs out of work main wakes several
   goroutines at once: the thread relies on those that are to be started for them, and
   they are refused. */
static tuco_wg rested[BURSTS_MAX];

static int bursts;
static int others_busy; /* how often the other thread has got its job */

static void job_of_other(void *job) {
    others_busy++;
    sim_job(job);
}

static void burst(int number) {
    tuco_wg_add(&together, 1);
    for (int i = sim_pick(2, 4); i > 0; i--) {
        sim_check(tuco_wg_go(&all, wait_for_others, sim_job_next()) == 0);
    }
    tuco_wg_wait(&rested[number]);
    sim_check(tuco_wg_go(&all, job_of_other, sim_job_next()) == 0);
    sim_check(tuco_wg_go(&all, sim_job, sim_job_next()) == 0); /* is next in its place */
    sim_await(&others_busy, number + 1);
    sim_pause_some(20);
    tuco_wg_done(&together);
    sim_await(&sim_jobs_ended, sim_jobs_made());
}

static int refused_burst_main(void *unused) {
    (void)unused;
    for (int i = 0; i < bursts; i++) {
        burst(i);
    }
    tuco_wg_wait(&all);
    sim_jobs_check();
    return SIM_RESULT;
}

/* Long enough for sysmon to have refused threads tried again. */
static void let_rest(void *unused) {
    (void)unused;
    for (int i = 0; i < bursts; i++) {
        sim_sleep_until(sim.now_ns + REFUSED_NS);
        tuco_wg_done(&rested[i]);
    }
}

SIM_SCENARIO(refused_burst, "a thread runs out of work, and others are refused") {
    sim_begin_procs(4, 6);
    sim.steady = true;
    bursts = sim_pick(1, BURSTS_MAX);
    for (int i = 0; i < bursts; i++) {
        tuco_wg_add(&rested[i], 1);
    }
    allowed = HELPERS + 1;
    os_fault_hook = refuse_more_threads;
    sim_threads_start(let_rest, 1);
    sim_check(tuco_run(refused_burst_main, NULL) == SIM_RESULT);
    sim_threads_join(1);
    sim_check(sim_threads_alive() == 1);
}

/* The only thread is wired to a goroutine that sleeps, or waits for others, and leaves its
   processor with the timer, or with goroutines: that is tried again until there is a thread
   for it. */
static void sleep_wired(void *job) {
    sim_job_begins(job);
    tuco_lock_thread();
    for (int i = sim_pick(1, 3); i > 0; i--) {
        if (sim_pick(0, 3) == 3) {
            sim_jobs_spawn(&all, sim_pick(1, 2));
        }
        tuco_sleep(sim_pick(1, 40) * TUCO_MILLISECOND);
    }
    sim_job_ends(job);
}

static int refused_sleep_main(void *unused) {
    (void)unused;
    for (int i = sim_pick(1, 2); i > 0; i--) {
        sim_check(tuco_wg_go(&all, sleep_wired, sim_job_next()) == 0);
    }
    if (sim_pick(0, 1)) {
        tuco_lock_thread();
        tuco_sleep(sim_pick(1, 40) * TUCO_MILLISECOND);
    }
    tuco_wg_wait(&all);
    sim_jobs_check();
    return SIM_RESULT;
}

SIM_SCENARIO(refused_sleep, "a processor with a timer is left, and a thread refused") {
    sim_begin_procs(1, 2);
    chance = sim_pick(1, 2);
    until = HELPERS + sim_pick(2, 8);
    os_fault_hook = refuse_thread;
    sim_main(refused_sleep_main);
}

static bool refusing; /* not before main has its stack */

static int refuse_stack(enum os_fault_kind kind) {
    return kind == OS_FAULT_RESERVE && refusing && sim_pick(0, 1) ? ENOMEM : 0;
}

static void waiting_job(void *job) {
    sim_job_begins(job);
    tuco_yield();
    sim_job_ends(job);
}

static int starved_main(void *unused) {
    (void)unused;
    refusing = true;
    for (int i = sim_pick(20, 80); i > 0; i--) {
        void *job = sim_job_next();
        if (tuco_wg_go(&all, waiting_job, job) != 0) {
            sim_job_take_back(job);
        }
    }
    tuco_wg_wait(&all);
    sim_jobs_check();
    return SIM_RESULT;
}

SIM_SCENARIO(starved, "stack memory cannot be had now and then") {
    sim_begin();
    os_fault_hook = refuse_stack;
    sim_main(starved_main);
}

/* Goroutines are given another try for a stack just when the last processor goes idle. */
static tuco_wg gates[GATES_MAX];
static int gates_count;
static bool gates_open; /* all of them, and perhaps before main begins to starve */

static int refuse_all_stacks(enum os_fault_kind kind) {
    return kind == OS_FAULT_RESERVE && refusing && !gates_open ? ENOMEM : 0;
}

static void pass_gates(void *unused) {
    (void)unused;
    for (int i = 0; i < gates_count; i++) {
        tuco_wg_wait(&gates[i]);
    }
}

static void counted_job(void *job) {
    sim_job(job);
    tuco_wg_done(&all);
}

static int fed_main(void *unused) {
    static const tuco_attr large = {.stack_size = (size_t)1 << 20};
    (void)unused;
    sim_check(tuco_wg_go(&all, pass_gates, NULL) == 0);
    tuco_yield();
    refusing = true;
    for (int i = sim_pick(1, 3); i > 0; i--) {
        tuco_wg_add(&all, 1);
        sim_check(tuco_go_attr(&large, counted_job, sim_job_next()) == 0);
    }
    tuco_wg_wait(&all);
    sim_jobs_check();
    return SIM_RESULT;
}

/* Outside, and not announced: starving goroutines alone prevent a report. */
static void open_gates(void *unused) {
    (void)unused;
    for (int i = 0; i < gates_count; i++) {
        sim_sleep_until_due("tuco-sysmon");
        tuco_wg_done(&gates[i]);
    }
    gates_open = true;
}

static int fed_main_with_thread(void *unused) {
    int threads = sim_threads_start(open_gates, 1);
    int result = fed_main(unused);
    sim_threads_join(threads);
    return result;
}

SIM_SCENARIO(fed, "goroutines try again for a stack while the last processor goes idle") {
    sim_begin_procs(1, 3);
    gates_count = sim_pick(1, GATES_MAX);
    for (int i = 0; i < gates_count; i++) {
        tuco_wg_add(&gates[i], 1);
    }
    os_fault_hook = refuse_all_stacks;
    sim_main(fed_main_with_thread);
}

/* A lack of stacks that lasts. */
static bool one_passes;
static int passed;

static int refuse_stacks_but_one(enum os_fault_kind kind) {
    if (kind != OS_FAULT_RESERVE || !refusing || gates_open) {
        return 0;
    }
    bool passes = one_passes;
    one_passes = false;
    return passes ? 0 : ENOMEM;
}

static void pass(void *unused) {
    (void)unused;
    passed++;
    tuco_wg_done(&all);
}

static int count_reports(void) {
    static const char line[] = "goroutines wait for stack memory";
    int count = 0;
    for (const char *at = os_sim.output; (at = strstr(at, line)) != NULL; at++) {
        count++;
    }
    return count;
}

static void rest_until(int64_t time_ns) {
    while (sim.now_ns < time_ns) {
        sim_sleep_until(time_ns);
    }
}

/* Requires that the report of that number appears between these times. Returns when. */
static int64_t await_report(int number, int64_t from_ns, int64_t to_ns) {
    while (count_reports() < number) {
        sim_check(sim.now_ns < to_ns);
        rest_until(sim.now_ns + REPORT_LATE_NS / 4);
    }
    sim_check(count_reports() == number && sim.now_ns >= from_ns);
    return sim.now_ns;
}

/* Nearly the whole minute between two reports the machine is suspended, so that the run is
   short: after that a lack has to last for a second again. */
static void watch_reports(void *unused) {
    (void)unused;
    int64_t first_ns =
        await_report(1, SECOND_NS, sim.now_ns + SECOND_NS + REPORT_LATE_NS);
    sim.now_ns += 57 * SECOND_NS;
    rest_until(first_ns + 59 * SECOND_NS + SECOND_NS / 2);
    await_report(2, first_ns + 60 * SECOND_NS - REPORT_LATE_NS,
                 first_ns + 60 * SECOND_NS + REPORT_LATE_NS);
    one_passes = true;
    while (passed == 0) {
        rest_until(sim.now_ns + REPORT_LATE_NS / 4);
    }
    int64_t again_ns = sim.now_ns + SECOND_NS;
    await_report(3, again_ns - REPORT_LATE_NS, again_ns + REPORT_LATE_NS);
    gates_open = true;
}

static int lack_main(void *unused) {
    /* Neither can have a stack of the other. */
    static const tuco_attr sizes[] = {{.stack_size = (size_t)1 << 22},
                                      {.stack_size = (size_t)1 << 23}};
    (void)unused;
    tuco_wg_add(&all, 2);
    refusing = true;
    for (int i = 0; i < 2; i++) {
        sim_check(tuco_go_attr(&sizes[i], pass, NULL) == 0);
    }
    int threads = sim_threads_start(watch_reports, 1);
    tuco_wg_wait(&all);
    sim_threads_join(threads);
    return SIM_RESULT;
}

SIM_SCENARIO(lack, "a lack of stacks is reported each minute, and anew after progress") {
    sim_begin_procs(1, 2);
    sim.steady = true;
    /* The default slice: beside shorter ones sysmon looks so often that runs get long. */
    tuco_config config = {.procs = sim_procs()};
    sim_check(tuco_configure(&config) == 0);
    os_fault_hook = refuse_stacks_but_one;
    sim_main(lack_main);
}
