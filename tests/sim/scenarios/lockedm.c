/* SPDX-License-Identifier: MIT */
/* Goroutines that are wired to their threads. */
#include "scenario.h"

static tuco_wg all;

#define PLAYERS_MAX 6

static struct {
    tuco_chan *to[PLAYERS_MAX];
    int players;
    int rounds;
} game;

/* Others go first, if they can. */
static void yield_until(const int *what, int value) {
    while (*what < value) {
        tuco_yield();
    }
}

/* Players pass a ball around. Some of them are wired meanwhile, and some are wired when
   they end. */
static void player(void *raw) {
    int self = (int)(intptr_t)raw;
    int ball;
    bool wired = sim_pick(0, 2) != 0;
    if (wired) {
        tuco_lock_thread();
    }
    for (int i = 0; i < game.rounds; i++) {
        sim_check(tuco_chan_recv(game.to[self], &ball) == 0);
        if (sim_pick(0, 3) == 3) {
            tuco_yield();
        }
        ball++;
        sim_check(tuco_chan_send(game.to[(self + 1) % game.players], &ball) == 0);
    }
    if (wired && sim_pick(0, 1)) {
        tuco_unlock_thread();
        tuco_yield();
    }
}

static void play(void) {
    int ball = 0;
    game.players = sim_pick(2, PLAYERS_MAX);
    game.rounds = sim_pick(1, 4);
    for (int i = 0; i < game.players; i++) {
        game.to[i] = tuco_chan_make(sizeof ball, (size_t)sim_pick(1, 2));
        sim_check(game.to[i] != NULL);
    }
    for (int i = 0; i < game.players; i++) {
        sim_check(tuco_wg_go(&all, player, (void *)(intptr_t)i) == 0);
    }
    sim_check(tuco_chan_send(game.to[0], &ball) == 0);
    tuco_wg_wait(&all);
    sim_check(tuco_chan_recv(game.to[0], &ball) == 0);
    sim_check(ball == game.players * game.rounds);
    for (int i = 0; i < game.players; i++) {
        tuco_chan_unref(game.to[i]);
    }
}

/* main too may be wired, to the thread that called tuco_run(). */
static int wired_main(void *unused) {
    (void)unused;
    if (sim_pick(0, 1)) {
        tuco_lock_thread();
    }
    play();
    sim_jobs_spawn(&all, sim_pick(0, 4));
    yield_until(&sim_jobs_ended, sim_jobs_made());
    tuco_wg_wait(&all);
    sim_jobs_check();
    return SIM_RESULT;
}

SIM_SCENARIO(lockedm, "wired goroutines pass a ball to others, yield, and end") {
    sim_begin_procs(1, 3);
    sim_main_twice(wired_main);
}

/* main returns while wired goroutines wait, yield or begin. */
static tuco_wg never;

static void wired_and_left(void *unused) {
    (void)unused;
    tuco_lock_thread();
    for (int i = sim_pick(0, 3); i > 0; i--) {
        tuco_yield();
    }
    tuco_wg_wait(&never);
}

static int wired_left_main(void *unused) {
    (void)unused;
    if (sim_pick(0, 3) == 3) {
        tuco_lock_thread();
    }
    for (int i = sim_pick(1, 4); i > 0; i--) {
        sim_check(tuco_go(wired_and_left, NULL) == 0);
    }
    for (int i = sim_pick(0, 6); i > 0; i--) {
        tuco_yield();
    }
    sim_pause_some(100);
    return SIM_RESULT;
}

SIM_SCENARIO(lockedm_left, "main returns while wired goroutines wait and yield") {
    sim_begin_procs(1, 3);
    tuco_wg_add(&never, 1);
    sim_check(tuco_run(wired_left_main, NULL) == SIM_RESULT);
    sim_check(sim_threads_alive() == 1);
}

/* A runtime without main ends as soon as the last wired goroutine has. */
static void wired_job(void *job) {
    sim_job_begins(job);
    tuco_lock_thread();
    if (sim_pick(0, 1)) {
        tuco_yield();
    }
    if (sim_pick(0, 1)) {
        tuco_sleep(sim_pick(0, 60) * TUCO_MICROSECOND);
    }
    sim_job_ends(job);
}

SIM_SCENARIO(lockedm_stop, "a runtime ends behind its last wired goroutine") {
    sim_begin_procs(1, 3);
    sim_jobs_clear();
    for (int run = sim_pick(1, 2); run > 0; run--) {
        sim_check(tuco_start() == 0);
        for (int i = sim_pick(1, 4); i > 0; i--) {
            sim_check(tuco_go(wired_job, sim_job_next()) == 0);
        }
        sim_check(tuco_stop(TUCO_NEVER) == 0);
        sim_check(sim_threads_alive() == 1);
    }
    sim_jobs_check();
}
