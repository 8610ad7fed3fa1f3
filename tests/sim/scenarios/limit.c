/* SPDX-License-Identifier: MIT */
/* As many threads as allowed: a processor that needs one waits until one is spare or
   ends. */
#include "scenario.h"

#define PLAYERS_MAX 5

static tuco_wg all;

static struct {
    tuco_chan *to[PLAYERS_MAX];
    bool wired[PLAYERS_MAX];
    int players;
    int rounds;
} game;

/* A ball goes around; the thread of one that is wired ends with it, now and then. */
static void player(void *raw) {
    int self = (int)(intptr_t)raw;
    int ball;
    if (game.wired[self]) {
        tuco_lock_thread();
    }
    for (int i = 0; i < game.rounds; i++) {
        sim_check(tuco_chan_recv(game.to[self], &ball) == 0);
        if (sim_pick(0, 1)) {
            tuco_yield();
        }
        ball++;
        sim_check(tuco_chan_send(game.to[(self + 1) % game.players], &ball) == 0);
    }
    if (game.wired[self] && sim_pick(0, 1)) {
        tuco_unlock_thread();
        tuco_yield();
    }
}

/* Returns how many of them are wired. */
static int game_begin(void) {
    int wired = 0;
    game.players = sim_pick(2, PLAYERS_MAX);
    game.rounds = sim_pick(1, 20);
    for (int i = 0; i < game.players; i++) {
        game.wired[i] = sim_pick(0, 2) != 0;
        wired += game.wired[i];
        game.to[i] = tuco_chan_make(sizeof(int), (size_t)sim_pick(1, 2));
        sim_check(game.to[i] != NULL);
    }
    return wired;
}

static void game_play(void) {
    int ball = 0;
    for (int i = 0; i < game.players; i++) {
        sim_check(tuco_wg_go(&all, player, (void *)(intptr_t)i) == 0);
    }
    sim_check(tuco_chan_send(game.to[0], &ball) == 0);
    for (int i = sim_pick(0, 2); i > 0; i--) {
        sim_jobs_spawn(&all, sim_pick(1, 3));
        tuco_yield();
    }
    tuco_wg_wait(&all);
    sim_check(tuco_chan_recv(game.to[0], &ball) == 0);
    sim_check(ball == game.players * game.rounds);
}

/* A thread for each processor, and one for each that is wired: that has to be enough. If
   main is not, a goroutine may end wired to the first thread, which is of no use then. */
static int limited_main(void *unused) {
    (void)unused;
    bool wired = sim_pick(0, 1) == 1;
    int threads = game_begin() + wired + sim_procs();
    sim_check(tuco_set_max_threads(threads) > threads);
    if (wired) {
        tuco_lock_thread();
    }
    for (int round = wired ? sim_pick(1, 3) : 1; round > 0; round--) {
        game_play(); /* threads of the last one may be about to end */
    }
    sim_jobs_check();
    for (int i = 0; i < game.players; i++) {
        tuco_chan_unref(game.to[i]);
    }
    return SIM_RESULT;
}

SIM_SCENARIO(limited, "wired goroutines pass a ball, and no thread may be started") {
    sim_begin_procs(1, sim_pick(0, 3) == 3 ? 2 : 1);
    sim_main(limited_main);
}

/* A thread for each processor, and one for each that blocks. Others want the processors all
   the time: a goroutine that comes back gets none, and may block again on another thread
   before its own has become spare. */
static int blockers; /* that have not ended */

static void blocker(void *job) {
    sim_job_begins(job);
    for (int i = sim_pick(1, 6); i > 0; i--) {
        tuco_blocking_enter();
        sim_block();
        tuco_blocking_exit();
    }
    blockers--;
    sim_job_ends(job);
}

static void unblock_and_yield(void *job) {
    sim_job_begins(job);
    while (blockers > 0) {
        sim_unblock_all();
        for (int turns = sim_pick(0, 80); turns > 0; turns--) {
            sim_spin(); /* they go first, some of their way */
        }
        tuco_yield();
    }
    sim_job_ends(job);
}

static int limited_calls_main(void *unused) {
    (void)unused;
    blockers = sim_pick(1, 2);
    int threads = blockers + sim_procs();
    sim_check(tuco_set_max_threads(threads) > threads);
    for (int i = blockers; i > 0; i--) {
        sim_check(tuco_wg_go(&all, blocker, sim_job_next()) == 0);
    }
    for (int i = sim_procs() + 1; i > 0; i--) {
        sim_check(tuco_wg_go(&all, unblock_and_yield, sim_job_next()) == 0);
    }
    tuco_wg_wait(&all);
    sim_jobs_check();
    return SIM_RESULT;
}

SIM_SCENARIO(limited_calls, "threads block and come back, and none may be started") {
    sim_begin_procs(1, sim_pick(0, 3) == 3 ? 2 : 1);
    sim_main(limited_calls_main);
}

/* All threads wait for their own goroutines, which a thread from outside wakes; jobs wait
   for a thread meanwhile. */
static tuco_chan *gate;
static int wired;

static void wait_wired(void *unused) {
    (void)unused;
    int value;
    tuco_lock_thread();
    sim_check(tuco_chan_recv(gate, &value) == -EPIPE);
    if (sim_pick(0, 1)) {
        tuco_yield();
    }
    tuco_unlock_thread();
}

static void open_gate(void *unused) {
    (void)unused;
    for (int i = wired; i > 0; i--) {
        sim_check(tuco_wg_go(&all, wait_wired, NULL) == 0);
    }
    sim_sleep_until(sim.now_ns + sim_pick(0, 20) * TUCO_MILLISECOND);
    sim_jobs_spawn(&all, sim_pick(1, 3));
    sim_sleep_until(sim.now_ns + sim_pick(0, 20) * TUCO_MILLISECOND);
    tuco_chan_close(gate);
    tuco_wg_wait(&all);
}

SIM_SCENARIO(limited_lockedm,
             "wired goroutines are woken when no thread is left for others") {
    sim_begin_procs(1, 1);
    sim_threads_lack = true;
    wired = sim_pick(1, 3);
    gate = tuco_chan_make(sizeof(int), 0);
    sim_check(gate != NULL);
    sim_check(tuco_start() == 0);
    tuco_set_max_threads(wired);
    sim_threads_join(sim_threads_start(open_gate, 1));
    sim_jobs_check();
    sim_check(tuco_stop(TUCO_NEVER) == 0);
    tuco_chan_unref(gate);
    sim_check(sim_threads_alive() == 1);
}

/* The only thread that is not wired has not been needed for long. Just when it ends, the
   wired one has to leave work behind. */
static tuco_chan *calls;

static void wired_callee(void *unused) {
    (void)unused;
    int call;
    tuco_lock_thread();
    while (tuco_chan_recv(calls, &call) == 0) {
        sim_jobs_spawn(&all, call);
    }
}

static void call_wired(int jobs) {
    sim_check(tuco_chan_send(calls, &jobs) == 0);
    sim_sleep_until(sim.now_ns + TUCO_SECOND);
}

static void call_when_due(void *unused) {
    (void)unused;
    sim_check(tuco_wg_go(&all, wired_callee, NULL) == 0);
    for (int round = sim_pick(1, 5); round > 0; round--) {
        sim_jobs_spawn(&all, 1);
        sim_sleep_until(sim.now_ns + TUCO_SECOND);
        call_wired(0); /* the other is spare from here on */
        sim_sleep_near_due("tuco", -70, 10);
        call_wired(sim_pick(1, 2));
    }
    tuco_chan_close(calls);
    tuco_wg_wait(&all);
}

SIM_SCENARIO(limited_midle,
             "a thread ends just when it is wanted, the last that may be") {
    sim_begin_procs(1, 1);
    calls = tuco_chan_make(sizeof(int), 1);
    sim_check(calls != NULL);
    sim_check(tuco_start() == 0);
    tuco_set_max_threads(2);
    sim_threads_join(sim_threads_start(call_when_due, 1));
    sim_jobs_check();
    sim_check(tuco_stop(TUCO_NEVER) == 0);
    tuco_chan_unref(calls);
    sim_check(sim_threads_alive() == 1);
}
