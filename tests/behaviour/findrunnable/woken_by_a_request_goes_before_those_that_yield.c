/* SPDX-License-Identifier: MIT */
/* Proves: goroutines that are woken through a channel run before those that have computed
   and yielded, also if several are woken at once. */
/* fixed procs */
#include "turns.h"

#include <stdlib.h>

#define WORKERS        4
#define YIELDERS_PER_P 6
#define SPAN           (2 * TUCO_MILLISECOND)
#define BURSTS         21

static tuco_wg yielders_wg;
static tuco_wg workers_wg;
static tuco_chan *requests;
static tuco_chan *answers;
static atomic_int turns; /* that have begun */
static atomic_int over;

static void compute_and_yield(void *arg) {
    (void)arg;
    while (atomic_load(&over) == 0) {
        atomic_fetch_add(&turns, 1);
        turns_compute(SPAN);
        tuco_yield();
    }
}

/* A request is the number of turns when it was sent. The answer is how many more there
   are. */
static void serve(void *arg) {
    (void)arg;
    int sent_at;
    while (tuco_chan_recv(requests, &sent_at) == 0) {
        int waited = atomic_load(&turns) - sent_at;
        ASSERT_EQ(tuco_chan_send(answers, &waited), 0);
    }
}

/* The most turns that a worker had to wait for. */
static int burst(void) {
    int most = 0;
    for (int i = 0; i < WORKERS; i++) {
        int sent_at = atomic_load(&turns);
        ASSERT_EQ(tuco_chan_send(requests, &sent_at), 0);
    }
    for (int i = 0; i < WORKERS; i++) {
        int waited;
        ASSERT_EQ(tuco_chan_recv(answers, &waited), 0);
        most = waited > most ? waited : most;
    }
    return most;
}

static int compare(const void *left, const void *right) {
    return *(const int *)left - *(const int *)right;
}

static int run_main(void *arg) {
    (void)arg;
    int procs = tuco_procs(0);
    int waited[BURSTS];
    requests = tuco_chan_make(sizeof(int), 0);
    answers = tuco_chan_make(sizeof(int), 0);
    ASSERT(requests != NULL && answers != NULL);
    for (int i = 0; i < WORKERS; i++) {
        ASSERT_EQ(tuco_wg_go(&workers_wg, serve, NULL), 0);
    }
    tuco_yield(); // until they wait for requests
    for (int i = 0; i < YIELDERS_PER_P * procs; i++) {
        ASSERT_EQ(tuco_wg_go(&yielders_wg, compute_and_yield, NULL), 0);
    }
    for (int i = 0; i < BURSTS; i++) {
        waited[i] = burst();
    }
    atomic_store(&over, 1);
    tuco_chan_close(requests);
    tuco_wg_wait(&workers_wg);
    tuco_wg_wait(&yielders_wg);
    tuco_chan_unref(requests);
    tuco_chan_unref(answers);
    qsort(waited, BURSTS, sizeof(waited[0]), compare);
    // each P may begin one turn before it sees a worker, and end one
    ASSERT_LE(waited[BURSTS / 2], procs);
    return 0;
}

TURNS_TEST(one_p, 1, run_main)
TURNS_TEST(two_ps, 2, run_main)
TURNS_TEST(four_ps, 4, run_main)
