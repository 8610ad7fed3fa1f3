/* SPDX-License-Identifier: MIT */
/* Work that appears while processors go idle: goroutines that compute until others
   run. */
#include "scenario.h"
#include "sched/deadlock.h"
#include "sched/thread/pidle.h"

static tuco_wg all;

static int compute_main(void *unused) {
    (void)unused;
    sim_search();
    for (int round = sim_pick(1, 6); round > 0; round--) {
        /* The last one stays in runnext, for sysmon to see to. */
        for (int i = sim_pick(1, 4); i > 0; i--) {
            sim_check(tuco_go(sim_job, sim_job_next()) == 0);
        }
        sim_await(&sim_jobs_ended, sim_jobs_made());
        sim_pause_some(sim_pick(0, 1) ? 5 : 200);
    }
    /* They have said that they end, and have not ended yet. */
    while (tuco_count() > 1) {
        tuco_yield();
    }
    sim_jobs_check();
    return SIM_RESULT;
}

SIM_SCENARIO(compute,
             "a goroutine spawns and computes until others have run what it spawned") {
    /* with one processor no other thread could run them */
    sim_begin_procs(2, sim_pick(0, 3) == 3 ? 8 : 3);
    sim.steady = true;
    sim_main(compute_main);
}

/* A goroutine sleeps for long on one of many Ps, which is not the last one to go idle. The
   check for a deadlock walks the Ps to find the timer, and remembers where it is. */

#define LONG_NS (50 * TUCO_MILLISECOND)
#define CHECKS  4
#define CHECK_STEPS \
    24 /* to take and release the lock, and for one look at each condition */

static int computing;

/* Each has a P of its own. */
static void sleep_long(void *unused) {
    (void)unused;
    bool last = ++computing == sim_procs() - 1;
    sim_await(&computing, sim_procs() - 1);
    if (last) {
        tuco_sleep(LONG_NS);
    }
}

/* Other threads may hold the lock meanwhile, which costs steps: the best check counts. */
static void check_in_few_steps(void *unused) {
    uint64_t least = UINT64_MAX;
    (void)unused;
    while (!rt_pidle_all()) {
        sim_sleep_until(sim.now_ns + TUCO_MICROSECOND);
    }
    rt_checkdead();
    for (int i = 0; i < CHECKS; i++) {
        uint64_t before = sim.self->steps;
        rt_checkdead();
        uint64_t steps = sim.self->steps - before;
        least = steps < least ? steps : least;
    }
    sim_check(least <= CHECK_STEPS);
}

static int reason_main(void *unused) {
    (void)unused;
    computing = 0;
    for (int i = 1; i < sim_procs(); i++) {
        sim_check(tuco_wg_go(&all, sleep_long, NULL) == 0);
    }
    sim_await(&computing, sim_procs() - 1);
    tuco_sleep(TUCO_MICROSECOND); /* the last reason is on this P */
    sim_threads_start(check_in_few_steps, 1);
    tuco_wg_wait(&all);
    sim_threads_join(1);
    return SIM_RESULT;
}

SIM_SCENARIO(deadlock_reason,
             "few steps to see that a timer is armed on one of many Ps") {
    sim_begin_procs(32, 32);
    sim.steady = true;
    sim_main(reason_main);
}

static int crowd_arrived;

/* A goroutine that has not arrived is queued or about to be, and then a processor is free
   for it. */
static void crowd_arrive(void) {
    int size = sim_procs();
    int round = crowd_arrived++ / size;
    sim_await(&crowd_arrived, (round + 1) * size);
}

static void crowd_member(void *unused) {
    (void)unused;
    sim_pause_some(4);
    crowd_arrive();
}

static int crowd_main(void *unused) {
    (void)unused;
    sim_search();
    for (int round = sim_pick(1, 4); round > 0; round--) {
        for (int i = 1; i < sim_procs(); i++) {
            if (sim_pick(0, 1)) {
                sim_check(tuco_wg_go(&all, sim_job, sim_job_next()) == 0);
            }
            sim_check(tuco_wg_go(&all, crowd_member, NULL) == 0);
            sim_pause_some(8);
        }
        crowd_arrive();
        tuco_wg_wait(&all);
    }
    sim_jobs_check();
    return SIM_RESULT;
}

SIM_SCENARIO(compute_all,
             "as many goroutines as processors compute until all of them do") {
    sim_begin_procs(2, 5);
    sim.steady = true;
    sim_main(crowd_main);
}

/* Those of a crowd end together: the first one out searches, and so the next one gives
   its processor up without a search. Just then the next crowd is there, in the global
   queue. */
static int given_up_rounds;

static void submit_crowds(void *unused) {
    (void)unused;
    for (int round = 1; round <= given_up_rounds; round++) {
        for (int i = 0; i < sim_procs(); i++) {
            sim_check(tuco_wg_go(&all, crowd_member, NULL) == 0);
        }
        sim_await(&crowd_arrived, round * sim_procs());
        sim_pause_some(30);
    }
}

SIM_SCENARIO(given_up, "a thread submits while processors are given up unsearched") {
    sim_begin_procs(2, sim_pick(0, 3) == 3 ? 4 : 2);
    sim.steady = true;
    given_up_rounds = sim_pick(2, 24);
    sim_check(tuco_start() == 0);
    sim_search();
    sim_threads_join(sim_threads_start(submit_crowds, 1));
    tuco_wg_wait(&all);
    sim_check(tuco_stop(TUCO_NEVER) == 0);
    sim_check(sim_threads_alive() == 1);
}

static int hog_may_end;

static void hog(void *job) {
    sim_job_begins(job);
    sim_await(&hog_may_end, 1);
    sim_job_ends(job);
}

static int hog_main(void *unused) {
    (void)unused;
    sim_search();
    for (int round = sim_pick(1, 5); round > 0; round--) {
        hog_may_end = 0;
        sim_check(tuco_wg_go(&all, hog, sim_job_next()) == 0);
        sim_pause_some(100);
        tuco_yield(); /* to the hog, or it was stolen */
        hog_may_end = 1;
        tuco_wg_wait(&all);
    }
    sim_jobs_check();
    return SIM_RESULT;
}

SIM_SCENARIO(hog, "a goroutine yields to one that computes until the first goes on") {
    sim_begin_procs(2, 4);
    sim.steady = true;
    sim_main(hog_main);
}

/* A thread comes back from a call and takes the processor that the last spinning M gives
   up, just when another thread submits. */
static int taken_back_rounds;
static int taken_back_ended;

static void come_back_and_compute(void *round) {
    tuco_blocking_enter();
    sim_block();
    tuco_blocking_exit();
    sim_await(&taken_back_ended, (int)(intptr_t)round);
}

static void end_round(void *unused) {
    (void)unused;
    taken_back_ended++;
}

static void submit_at_return(void *unused) {
    (void)unused;
    for (int round = 1; round <= taken_back_rounds; round++) {
        sim_check(tuco_wg_go(&all, come_back_and_compute, (void *)(intptr_t)round) == 0);
        while (sim.blocked == 0) {
            sim_sleep_until(sim.now_ns + TUCO_MICROSECOND);
        }
        sim_sleep_until(sim.now_ns + 2 * TUCO_MILLISECOND);
        for (int i = 0; i < sim_procs(); i++) {
            sim_check(tuco_wg_go(&all, crowd_member, NULL) == 0);
        }
        sim_await(&crowd_arrived, round * sim_procs());
        sim_pause_some(30);
        sim_unblock_all();
        sim_pause_some(20);
        sim_check(tuco_wg_go(&all, end_round, NULL) == 0);
        (void)sim_aim_at("fence_last_spinning", 60);
        tuco_wg_wait(&all);
    }
}

SIM_SCENARIO(taken_back, "a thread submits while another takes the processor given up") {
    sim_begin_procs(2, 2);
    sim.steady = true;
    crowd_arrived = taken_back_ended = 0;
    taken_back_rounds = sim_pick(2, 24);
    sim_check(tuco_start() == 0);
    sim_search();
    sim_threads_join(sim_threads_start(submit_at_return, 1));
    tuco_wg_wait(&all);
    sim_check(tuco_stop(TUCO_NEVER) == 0);
    sim_check(sim_threads_alive() == 1);
}
