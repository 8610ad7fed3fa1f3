/* SPDX-License-Identifier: MIT */
/* Park against ready: pairs that wake each other in turn, through wait groups. */
#include "pairs.h"
#include "scenario.h"

#include <string.h>

int pairs_ended;

static int rounds;
static tuco_wg x[PAIRS_MAX][ROUNDS_MAX];
static tuco_wg y[PAIRS_MAX][ROUNDS_MAX];
static tuco_wg all;

void pairs_prepare(int pairs, int rounds_each) {
    rounds = rounds_each;
    pairs_ended = 0;
    for (int pair = 0; pair < pairs; pair++) {
        for (int i = 0; i < rounds; i++) {
            tuco_wg_add(&x[pair][i], 1);
            tuco_wg_add(&y[pair][i], 1);
        }
    }
}

void pairs_ping(void *raw) {
    int pair = (int)(intptr_t)raw;
    for (int i = 0; i < rounds; i++) {
        tuco_wg_done(&x[pair][i]);
        tuco_wg_wait(&y[pair][i]);
    }
    pairs_ended++;
}

void pairs_pong(void *raw) {
    int pair = (int)(intptr_t)raw;
    for (int i = 0; i < rounds; i++) {
        tuco_wg_wait(&x[pair][i]);
        sim_pause_some(4);
        tuco_wg_done(&y[pair][i]);
    }
    pairs_ended++;
}

static int ping_pong_main(void *unused) {
    (void)unused;
    int pairs = sim_pick(1, sim_pick(0, 3) == 3 ? PAIRS_MAX : 3);
    sim_search();
    pairs_prepare(pairs, sim_pick(1, ROUNDS_MAX));
    for (int pair = 0; pair < pairs; pair++) {
        sim_check(tuco_wg_go(&all, pairs_ping, (void *)(intptr_t)pair) == 0);
        sim_check(tuco_wg_go(&all, pairs_pong, (void *)(intptr_t)pair) == 0);
    }
    tuco_wg_wait(&all);
    sim_check(pairs_ended == 2 * pairs);
    return SIM_RESULT;
}

SIM_SCENARIO(ping_pong, "pairs of goroutines wake each other in turn") {
    sim_begin();
    sim_main_twice(ping_pong_main);
}

/* Many wait for one group, and are woken together. */

static tuco_wg gates[ROUNDS_MAX];

static void gate_waiter(void *job) {
    sim_job_begins(job);
    for (int i = 0; i < rounds; i++) {
        tuco_wg_wait(&gates[i]);
        sim_pause_some(2);
    }
    sim_job_ends(job);
}

static void gate_thread(void *unused) {
    (void)unused;
    for (int i = 0; i < rounds; i++) {
        tuco_wg_wait(&gates[i]);
    }
}

static int gate_main(void *unused) {
    (void)unused;
    sim_search();
    for (int i = sim_pick(2, sim_pick(0, 7) == 7 ? 300 : 12); i > 0; i--) {
        sim_check(tuco_wg_go(&all, gate_waiter, sim_job_next()) == 0);
    }
    for (int i = 0; i < rounds; i++) {
        for (int yields = sim_pick(0, 3); yields > 0; yields--) {
            tuco_yield();
        }
        sim_jobs_spawn(&all, sim_pick(0, 3)); /* some look for work when they are woken */
        sim_pause_some(10);
        tuco_wg_done(&gates[i]);
    }
    tuco_wg_wait(&all);
    sim_jobs_check();
    return SIM_RESULT;
}

SIM_SCENARIO(gate, "goroutines and threads wait for one group and are woken together") {
    sim_begin();
    rounds = sim_pick(1, 10);
    for (int i = 0; i < rounds; i++) {
        tuco_wg_add(&gates[i], 1);
    }
    int threads = sim_pick(0, 2);
    sim_threads_start(gate_thread, threads);
    sim_check(tuco_run(gate_main, NULL) == SIM_RESULT);
    sim_threads_join(threads);
    sim_check(sim_threads_alive() == 1);
}

/* A counter that comes to zero again and again, while others add to it and wait. */

static tuco_wg shared;

static void shared_user(void *job) {
    sim_job_begins(job);
    for (int i = sim_pick(1, 6); i > 0; i--) {
        tuco_wg_add(&shared, 1);
        sim_pause_some(3);
        tuco_wg_done(&shared);
        tuco_wg_wait(&shared);
    }
    sim_job_ends(job);
}

static int shared_main(void *unused) {
    (void)unused;
    sim_search();
    for (int i = sim_pick(2, 8); i > 0; i--) {
        sim_check(tuco_wg_go(&all, shared_user, sim_job_next()) == 0);
    }
    tuco_wg_wait(&all);
    sim_jobs_check();
    return SIM_RESULT;
}

SIM_SCENARIO(shared, "a wait group is used by all, for themselves") {
    sim_begin();
    sim_main_twice(shared_main);
}
