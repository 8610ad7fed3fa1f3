/* SPDX-License-Identifier: MIT */
/* Goroutines come and go: the run queues, their overflow, theft, reuse of descriptors. */
#include "scenario.h"
#include "os_sim.h"

static tuco_wg all;

static int storm_main(void *unused) {
    (void)unused;
    int most = sim_pick(0, 7) == 7 ? 400 : 20;
    sim_search();
    sim_jobs_spawn(&all, sim_pick(1, most));
    tuco_wg_wait(&all);
    sim_jobs_check();
    return SIM_RESULT;
}

SIM_SCENARIO(storm, "a goroutine spawns many, which spawn others; main waits for all") {
    sim_begin();
    sim_main_twice(storm_main);
}

SIM_SCENARIO(migrate, "every goroutine changes threads at each wake-up") {
    sim_begin();
    os_sim.debug = "migrate=1";
    sim_main_twice(storm_main);
}

/* More than a ring has room for, so that the owner moves half of it away while thieves
   take theirs and it takes its own. */
static int overflow_main(void *unused) {
    (void)unused;
    for (int i = sim_pick(250, 300); i > 0; i--) {
        sim_check(tuco_wg_go(&all, sim_job, sim_job_next()) == 0);
    }
    for (int i = sim_pick(0, 4); i > 0; i--) {
        tuco_yield(); /* takes one */
    }
    for (int i = sim_pick(1, 200); i > 0; i--) {
        sim_check(tuco_wg_go(&all, sim_job, sim_job_next()) == 0);
    }
    tuco_wg_wait(&all);
    sim_jobs_check();
    return SIM_RESULT;
}

SIM_SCENARIO(overflow, "a full ring: its owner moves half away, takes, and is robbed") {
    sim_begin_procs(2, 4);
    sim_main(overflow_main);
}

/* A descriptor and a stack go from one goroutine to the next within a few steps, and from
   one processor to another. */
static void relay(void *raw) {
    int left = (int)(intptr_t)raw;
    volatile int mine[64];
    for (int i = 0; i < 64; i++) {
        mine[i] = left;
    }
    if (left > 0) {
        sim_check(tuco_wg_go(&all, relay, (void *)(intptr_t)(left - 1)) == 0);
    }
    if (sim_pick(0, 1)) {
        tuco_yield();
    }
    for (int i = 0; i < 64; i++) {
        sim_check(mine[i] == left); /* no other goroutine is on this stack */
    }
    sim_jobs_ended++;
}

static int reuse_main(void *unused) {
    (void)unused;
    int relays = sim_pick(2, 4);
    int length = sim_pick(2, 30);
    sim_search();
    for (int i = 0; i < relays; i++) {
        sim_check(tuco_wg_go(&all, relay, (void *)(intptr_t)(length - 1)) == 0);
    }
    tuco_wg_wait(&all);
    sim_check(sim_jobs_ended == relays * length);
    return SIM_RESULT;
}

SIM_SCENARIO(reuse, "a goroutine ends while the next takes its descriptor and stack") {
    sim_begin();
    sim_main_twice(reuse_main);
}

static void node(void *raw) {
    int depth = (int)(intptr_t)raw;
    tuco_wg children = {0};
    sim_jobs_ended++;
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
    sim_search();
    node((void *)(intptr_t)depth);
    sim_check(sim_jobs_ended == (2 << depth) - 1);
    return SIM_RESULT;
}

SIM_SCENARIO(tree, "each goroutine spawns two and waits for them") {
    sim_begin();
    sim_main_twice(tree_main);
}

static void yielding_job(void *job) {
    sim_job_begins(job);
    for (int i = sim_pick(1, 8); i > 0; i--) {
        tuco_yield();
    }
    sim_job_ends(job);
}

static int yield_main(void *unused) {
    (void)unused;
    sim_search();
    for (int i = sim_pick(2, 12); i > 0; i--) {
        sim_check(tuco_wg_go(&all, yielding_job, sim_job_next()) == 0);
        tuco_yield();
    }
    tuco_wg_wait(&all);
    sim_jobs_check();
    return SIM_RESULT;
}

SIM_SCENARIO(yield, "goroutines yield to each other while others end") {
    sim_begin();
    sim_main_twice(yield_main);
}
