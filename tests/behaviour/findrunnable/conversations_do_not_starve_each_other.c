/* SPDX-License-Identifier: MIT */
/* Proves: a hundred pairs of goroutines that wake each other, and compute in between, all
   get on, on one processor: none waits for a slice of each other pair. Nor do goroutines
   that another thread spawns beside them. */
/* fixed procs */
#include "turns.h"

#include <pthread.h>
#include <sched.h>

#define PAIRS     100
#define SPAN      (20 * TUCO_MICROSECOND)
#define TURNS     20000
#define TURNS_MAX 4000
#define SPAWNED   300

static struct pair {
    tuco_chan *there;
    tuco_chan *back;
    int last; /* turns when it last had a round */
    int gap;  /* the most turns between two rounds */
} pairs[PAIRS];

static tuco_wg wg;
static atomic_int turns;
static atomic_int ran;
static atomic_int spawned_at;
static atomic_int ran_at;

static void answer(void *arg) {
    struct pair *p = arg;
    char item;
    while (tuco_chan_recv(p->there, &item) == 0) {
        turns_compute(SPAN);
        ASSERT_EQ(tuco_chan_send(p->back, &item), 0);
    }
}

static void note_gap(struct pair *p) {
    int now = atomic_fetch_add(&turns, 1);
    int gap = now - p->last;
    p->gap = gap > p->gap ? gap : p->gap;
    p->last = now;
}

static void ask(void *arg) {
    struct pair *p = arg;
    char item = 1;
    while (atomic_load(&turns) < TURNS) {
        ASSERT_EQ(tuco_chan_send(p->there, &item), 0);
        ASSERT_EQ(tuco_chan_recv(p->back, &item), 0);
        note_gap(p);
    }
    note_gap(p);
    tuco_chan_close(p->there);
}

static void count_itself(void *arg) {
    (void)arg;
    if (atomic_fetch_add(&ran, 1) + 1 == SPAWNED) {
        atomic_store(&ran_at, atomic_load(&turns));
    }
}

static void *spawn_as_thread(void *arg) {
    (void)arg;
    while (atomic_load(&turns) < TURNS / 4) {
        sched_yield();
    }
    for (int i = 0; i < SPAWNED; i++) {
        ASSERT_EQ(tuco_wg_go(&wg, count_itself, NULL), 0);
    }
    atomic_store(&spawned_at, atomic_load(&turns));
    tuco_wg_done(&wg);
    return NULL;
}

static void converse(void) {
    pthread_t thread;
    atomic_store(&turns, 0);
    atomic_store(&ran, 0);
    tuco_wg_add(&wg, 1);
    ASSERT_EQ(pthread_create(&thread, NULL, spawn_as_thread, NULL), 0);
    for (int i = 0; i < PAIRS; i++) {
        pairs[i] =
            (struct pair){.there = tuco_chan_make(1, 0), .back = tuco_chan_make(1, 0)};
        ASSERT(pairs[i].there != NULL && pairs[i].back != NULL);
        ASSERT_EQ(tuco_wg_go(&wg, answer, &pairs[i]), 0);
        ASSERT_EQ(tuco_wg_go(&wg, ask, &pairs[i]), 0);
    }
    tuco_wg_wait(&wg);
    ASSERT_EQ(pthread_join(thread, NULL), 0);
    for (int i = 0; i < PAIRS; i++) {
        tuco_chan_unref(pairs[i].there);
        tuco_chan_unref(pairs[i].back);
    }
}

static tuco_time longest_gap(void *arg) {
    int longest = 0;
    (void)arg;
    converse();
    for (int i = 0; i < PAIRS; i++) {
        longest = pairs[i].gap > longest ? pairs[i].gap : longest;
    }
    return longest;
}

static tuco_time last_spawned(void *arg) {
    (void)arg;
    converse();
    return atomic_load(&ran_at) - atomic_load(&spawned_at);
}

static int pairs_main(void *arg) {
    (void)arg;
    turns_expect_at_most(TURNS_MAX, longest_gap, NULL);
    return 0;
}

static int spawned_main(void *arg) {
    (void)arg;
    turns_expect_at_most(TURNS_MAX, last_spawned, NULL);
    return 0;
}

TURNS_TEST(each_pair, 1, pairs_main)
TURNS_TEST(spawned_by_a_thread, 1, spawned_main)
