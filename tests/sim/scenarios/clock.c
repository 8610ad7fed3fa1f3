/* SPDX-License-Identifier: MIT */
/* Channels that the scheduler itself sends to, when the time has come. */
#include "passing.h"

#define POLLS_MAX 30

static tuco_wg all;
static tuco_chan *plain;
static tuco_chan *ticks;

static tuco_ticker *clock_begin(void) {
    tuco_ticker *ticker = tuco_ticker_make(sim_pick(500, 5000));
    plain = tuco_chan_make(sizeof(tuco_time), 1);
    sim_check(ticker != NULL && plain != NULL);
    ticks = tuco_ticker_chan(ticker);
    return ticker;
}

static void clock_end(tuco_ticker *ticker) {
    tuco_ticker_free(ticker);
    tuco_chan_unref(plain);
}

/* Takes both locks, and finds nothing most of the time. */
static void poll_both(void *unused) {
    (void)unused;
    for (int i = sim_pick(1, POLLS_MAX); i > 0; i--) {
        tuco_time value = 0;
        tuco_case cases[] = {TUCO_RECV(ticks, &value), TUCO_RECV(plain, &value),
                             TUCO_DEFAULT};
        sim_check(tuco_select(cases, 3) >= 0);
        tuco_yield();
    }
}

/* Takes one of the locks, and may lose its CPU then. */
static void poll_plain(void *unused) {
    (void)unused;
    for (int i = sim_pick(1, POLLS_MAX); i > 0; i--) {
        tuco_time value = 0;
        (void)tuco_chan_try_send(plain, &value);
        (void)tuco_chan_try_recv(plain, &value);
        sim_pause_some(5);
    }
    tuco_wg_done(&all);
}

static int select_ticker_main(void *unused) {
    (void)unused;
    int threads = sim_pick(1, 2);
    tuco_ticker *ticker = clock_begin();
    sim_search();
    tuco_wg_add(&all, threads);
    sim_threads_start(poll_plain, threads);
    for (int i = sim_pick(2, 3); i > 0; i--) {
        sim_check(tuco_wg_go(&all, poll_both, NULL) == 0);
    }
    tuco_wg_wait(&all);
    sim_threads_join(threads);
    clock_end(ticker);
    return SIM_RESULT;
}

/* The scheduler cannot switch to a goroutine that holds the lock which it needs. */
SIM_SCENARIO(select_ticker, "a ticker sends while selects hold its channel's lock") {
    sim_begin_procs(1, 2);
    sim_main(select_ticker_main);
}

/* Comes and goes, and checks each time whether it was the last that could wake a waiter. */
static void come_and_go(void *unused) {
    (void)unused;
    for (int i = sim_pick(1, POLLS_MAX); i > 0; i--) {
        tuco_time value = 0;
        sim_check(tuco_chan_try_send(plain, &value) == 0);
        sim_check(tuco_chan_try_recv(plain, &value) == 0);
        sim_pause_some(20);
    }
}

static int ticker_alone_main(void *unused) {
    (void)unused;
    tuco_ticker *ticker = clock_begin();
    sim_search();
    sim_threads_start(come_and_go, 1);
    tuco_time then = 0;
    for (int i = sim_pick(1, 10); i > 0; i--) {
        tuco_time now = 0;
        sim_check(tuco_chan_recv(ticks, &now) == 0);
        sim_check(now > then);
        then = now;
    }
    sim_threads_join(1);
    clock_end(ticker);
    return SIM_RESULT;
}

SIM_SCENARIO(ticker_alone,
             "only a ticker can still wake a goroutine, while threads leave") {
    sim_begin_procs(1, 2);
    sim_main(ticker_alone_main);
}
