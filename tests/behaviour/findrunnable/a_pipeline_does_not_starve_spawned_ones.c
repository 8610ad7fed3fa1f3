/* SPDX-License-Identifier: MIT */
/* Proves: spawned goroutines run although others wake each other through channels all the
   time: an item that goes round a ring, and a pipeline. */
/* fixed procs */
#include "turns.h"

#define MEMBERS      8
#define SPAWNED      1000
#define SPAN         (200 * TUCO_MICROSECOND)
#define TURNS_BEFORE 80
#define TURNS_MAX    512
#define GIVE_UP      3000

static tuco_wg wg;
static tuco_chan *links[MEMBERS]; /* links[i] leads to member i */
static atomic_int turns;
static atomic_int ran;
static atomic_int ran_at;

static void count_itself(void *arg) {
    (void)arg;
    if (atomic_fetch_add(&ran, 1) + 1 == SPAWNED) {
        atomic_store(&ran_at, atomic_load(&turns));
    }
}

/* Returns false when it is time to end. */
static bool take_turn(void) {
    turns_compute(SPAN);
    int turn = atomic_fetch_add(&turns, 1);
    for (int i = 0; turn == TURNS_BEFORE && i < SPAWNED; i++) {
        ASSERT_EQ(tuco_wg_go(&wg, count_itself, NULL), 0);
    }
    return atomic_load(&ran) < SPAWNED && turn < GIVE_UP;
}

static void send_item(tuco_chan *c) {
    char item = 1;
    ASSERT_EQ(tuco_chan_send(c, &item), 0);
}

/* Passes the item on in the ring. The first member that stops closes its channel, and so
   each member stops in turn. */
static void pass_on(void *arg) {
    tuco_chan **link = arg;
    tuco_chan *out = link == &links[MEMBERS - 1] ? links[0] : link[1];
    char item;
    while (tuco_chan_recv(link[0], &item) == 0 && take_turn()) {
        send_item(out);
    }
    tuco_chan_close(out);
}

static void make_items(void *arg) {
    tuco_chan **link = arg;
    while (take_turn()) {
        send_item(link[1]);
    }
    tuco_chan_close(link[1]);
}

static void deal_with_items(void *arg) {
    tuco_chan **link = arg;
    bool sends = link != &links[MEMBERS - 1];
    char item;
    while (tuco_chan_recv(link[0], &item) == 0) {
        take_turn();
        if (sends) {
            send_item(link[1]);
        }
    }
    if (sends) {
        tuco_chan_close(link[1]);
    }
}

struct members {
    tuco_fn *first;
    tuco_fn *others;
};

static tuco_time count_turns(void *arg) {
    const struct members *m = arg;
    atomic_store(&turns, 0);
    atomic_store(&ran, 0);
    for (int i = 0; i < MEMBERS; i++) {
        links[i] = tuco_chan_make(1, 0);
        ASSERT(links[i] != NULL);
    }
    for (int i = 0; i < MEMBERS; i++) {
        ASSERT_EQ(tuco_wg_go(&wg, i == 0 ? m->first : m->others, &links[i]), 0);
    }
    if (m->first == pass_on) {
        send_item(links[0]);
    }
    tuco_wg_wait(&wg);
    for (int i = 0; i < MEMBERS; i++) {
        tuco_chan_unref(links[i]);
    }
    return atomic_load(&ran_at) - TURNS_BEFORE;
}

static int ring_main(void *arg) {
    (void)arg;
    turns_expect_at_most(TURNS_MAX, count_turns, &(struct members){pass_on, pass_on});
    return 0;
}

static int pipeline_main(void *arg) {
    (void)arg;
    turns_expect_at_most(TURNS_MAX, count_turns,
                         &(struct members){make_items, deal_with_items});
    return 0;
}

TURNS_TEST(ring_on_one_p, 1, ring_main)
TURNS_TEST(ring_on_two_ps, 2, ring_main)
TURNS_TEST(pipeline_on_one_p, 1, pipeline_main)
TURNS_TEST(pipeline_on_two_ps, 2, pipeline_main)
TURNS_TEST(pipeline_on_four_ps, 4, pipeline_main)
