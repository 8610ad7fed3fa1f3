/* SPDX-License-Identifier: MIT */
/* Threads of the program beside the runtime's own. */
#include "os_sim.h"
#include "scenario.h"
#include "pairs.h"

#define IDLE_TICKS 5 /* of sysmon with all processors idle, until it goes dormant */

static tuco_wg all;
static bool computing; /* a goroutine computes until another has run */

/* Its child stays in runnext until sysmon wakes a thief. */
static void computing_job(void *job) {
    sim_job_begins(job);
    void *child = sim_job_next();
    sim_check(tuco_wg_go(&all, sim_job, child) == 0);
    while (sim_jobs_started(child) == 0) {
        sim_spin(); /* for as long as it takes: time may jump here */
    }
    computing = false;
    sim_job_ends(job);
}

/* One at a time, and not on the only processor. No P knows such jobs as wakers that go on:
   it would not leave the child in runnext. */
static void spawn_computing_job(void) {
    if (sim_procs() > 1 && !computing) {
        computing = true;
        sim_forget_habits();
        sim_check(tuco_wg_go(&all, computing_job, sim_job_next()) == 0);
    }
}

static void submitter(void *unused) {
    (void)unused;
    for (int burst = sim_pick(1, 4); burst > 0; burst--) {
        sim_sleep_some();
        spawn_computing_job();
        sim_jobs_spawn(&all, sim_pick(0, 3));
        if (sim_pick(0, 1)) {
            tuco_wg_wait(&all);
        }
    }
}

SIM_SCENARIO(foreign, "threads spawn into a runtime that is idle, or about to be") {
    sim_begin();
    sim_check(tuco_start() == 0);
    sim_search();
    sim_threads_join(sim_threads_start(submitter, sim_pick(1, 3)));
    tuco_wg_wait(&all);
    sim_jobs_check();
    sim_check(tuco_stop(TUCO_NEVER) == 0);
    sim_check(tuco_count() == 0);
    sim_check(sim_threads_alive() == 1);
}

/* Work comes just when an idle processor wakes by itself, to give its caches back. */
static void submit_at_expiry(void *unused) {
    (void)unused;
    for (int round = sim_pick(1, 12); round > 0; round--) {
        sim_sleep_until_due("tuco");
        sim_jobs_spawn(&all, sim_pick(1, 3));
        tuco_wg_wait(&all);
    }
}

/* Work comes just when sysmon has seen nothing for a while and goes dormant. */
static void submit_at_dormancy(void *unused) {
    (void)unused;
    for (int round = sim_pick(2, 14); round > 0; round--) {
        for (int ticks = sim_pick(0, 15) == 15 ? 6 : IDLE_TICKS - 1; ticks > 0; ticks--) {
            sim_sleep_until_due("tuco-sysmon");
        }
        /* most often just when it is about to say so, after some forty steps */
        sim_sleep_near_due("tuco-sysmon", sim_pick(0, 3) == 0 ? 10 : 38, 50);
        spawn_computing_job();
        tuco_wg_wait(&all);
    }
}

static void run_with_submitter(void (*fn)(void *)) {
    sim.steady = true;
    sim_check(tuco_start() == 0);
    sim_threads_join(sim_threads_start(fn, 1));
    sim_jobs_check();
    sim_check(tuco_stop(TUCO_NEVER) == 0);
    sim_check(sim_threads_alive() == 1);
}

SIM_SCENARIO(expiry, "a thread spawns when a sleeper is about to wake by itself") {
    sim_begin_procs(1, 3);
    run_with_submitter(submit_at_expiry);
}

SIM_SCENARIO(dormant, "a thread spawns when sysmon is about to sleep for good") {
    sim_begin_procs(2, 2);
    run_with_submitter(submit_at_dormancy);
}

static void foreign_ping(void *pair) {
    pairs_ping(pair);
}

static int pairs;

static int foreign_wait_main(void *unused) {
    (void)unused;
    sim_search();
    for (int pair = 0; pair < pairs; pair++) {
        sim_check(tuco_wg_go(&all, pairs_pong, (void *)(intptr_t)pair) == 0);
    }
    tuco_wg_wait(&all);
    return SIM_RESULT;
}

SIM_SCENARIO(foreign_wait, "threads and goroutines wait for each other") {
    sim_begin();
    pairs = sim_pick(1, 3);
    pairs_prepare(pairs, sim_pick(1, 6));
    sim_threads_start(foreign_ping, pairs);
    sim_check(tuco_run(foreign_wait_main, NULL) == SIM_RESULT);
    sim_threads_join(pairs);
    sim_check(pairs_ended == 2 * pairs);
    sim_check(sim_threads_alive() == 1);
}

/* When main goes to sleep, and nothing can happen but by a thread of the program, that
   may be about to happen. */
static tuco_wg gate;

static void open_gate(void *unused) {
    (void)unused;
    sim_pause_some(100);
    tuco_wg_done(&gate);
}

static int foreign_last_main(void *unused) {
    (void)unused;
    sim_search();
    sim_pause_some(20);
    tuco_wg_wait(&gate);
    return SIM_RESULT;
}

SIM_SCENARIO(foreign_last, "threads wake the last goroutine and are gone") {
    sim_begin();
    int count = sim_pick(1, 3);
    tuco_wg_add(&gate, count);
    sim_threads_start(open_gate, count);
    sim_check(tuco_run(foreign_last_main, NULL) == SIM_RESULT);
    sim_threads_join(count);
    sim_check(sim_threads_alive() == 1);
}

static void call_and_leave(void *unused) {
    (void)unused;
    for (int i = sim_pick(0, 3); i > 0; i--) {
        sim_sleep_some();
        tuco_count();
    }
    if (sim_pick(0, 1)) {
        tuco_wg_wait(&gate);
    }
}

static int foreign_deadlock_main(void *unused) {
    (void)unused;
    sim_search();
    tuco_wg_wait(&gate);
    return 0;
}

SIM_SCENARIO(foreign_deadlock, "the last thread leaves, and all goroutines wait") {
    sim_begin();
    os_sim.expected_end = "all goroutines are asleep - deadlock!";
    int count = sim_pick(1, 3);
    tuco_wg_add(&gate, 1);
    sim_threads_start(call_and_leave, count);
    sim_fail("tuco_run returned %d", tuco_run(foreign_deadlock_main, NULL));
}
