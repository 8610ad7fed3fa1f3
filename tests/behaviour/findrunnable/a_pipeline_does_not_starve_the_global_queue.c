/* SPDX-License-Identifier: MIT */
/* Proves: goroutines in the global queue run although others wake each other through
   channels all the time: an item that goes round a ring, and a pipeline. One of those has
   spawned them, another thread has, or a wait group has woken them. */
/* fixed procs */
#include "turns.h"

#include <pthread.h>
#include <semaphore.h>

#define MEMBERS      8
#define COUNT        1000
#define SPAN         (200 * TUCO_MICROSECOND)
#define TURNS_BEFORE 80
#define GIVE_UP      3000

/* Measured: 70 beside a pipeline and on several Ps. On one P 360 beside a ring, and 230
   beside a pipeline if they are woken as a list. */
#define TURNS_MAX     160
#define TURNS_OF_MANY 512

static tuco_wg wg;
static tuco_chan *links[MEMBERS]; /* links[i] leads to member i */
static atomic_int turns;
static atomic_int ran;
static atomic_int ran_at;
static atomic_int released_at;

static void count_itself(void *arg) {
    (void)arg;
    if (atomic_fetch_add(&ran, 1) + 1 == COUNT) {
        atomic_store(&ran_at, atomic_load(&turns));
    }
}

/* How the goroutines that are to run become runnable: in batches of what overflows a ring,
   one by one, or as a list. */

static void spawn_them(void) {
    for (int i = 0; i < COUNT; i++) {
        ASSERT_EQ(tuco_wg_go(&wg, count_itself, NULL), 0);
    }
    atomic_store(&released_at, atomic_load(&turns));
}

static sem_t thread_is_to_spawn;

static void *spawn_as_thread(void *arg) {
    (void)arg;
    while (sem_wait(&thread_is_to_spawn) != 0) {
    }
    spawn_them();
    tuco_wg_done(&wg);
    return NULL;
}

static void thread_spawns(void) {
    tuco_wg_add(&wg, 1);
    ASSERT_EQ(sem_post(&thread_is_to_spawn), 0);
}

static tuco_wg gate;

static void wait_and_count(void *arg) {
    tuco_wg_wait(&gate);
    count_itself(arg);
}

static void open_gate(void) {
    tuco_wg_done(&gate);
    atomic_store(&released_at, atomic_load(&turns));
}

static void (*release)(void);
static int turns_max;

/* Returns false when it is time to end. */
static bool take_turn(void) {
    turns_compute(SPAN);
    int turn = atomic_fetch_add(&turns, 1);
    if (turn == TURNS_BEFORE) {
        release();
    }
    return atomic_load(&ran) < COUNT && turn < GIVE_UP;
}

enum { STOP, GO_ON };

static void send_item(tuco_chan *c) {
    ASSERT_EQ(tuco_chan_send(c, &(char){GO_ON}), 0);
}

/* Passes the item on in the ring, whose channels have room for it and for a stop. A member
   that stops makes the next one stop. */
static void pass_on(void *arg) {
    tuco_chan **link = arg;
    tuco_chan *out = link == &links[MEMBERS - 1] ? links[0] : link[1];
    char item;
    while (tuco_chan_recv(link[0], &item) == 0 && item == GO_ON && take_turn()) {
        send_item(out);
    }
    ASSERT_EQ(tuco_chan_send(out, &(char){STOP}), 0);
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

/* All wait at the gate before the members begin. */
static void prepare_gate(void) {
    tuco_wg_add(&gate, 1);
    for (int i = 0; i < COUNT; i++) {
        ASSERT_EQ(tuco_wg_go(&wg, wait_and_count, NULL), 0);
    }
    tuco_yield();
}

static tuco_time count_turns(void *arg) {
    const struct members *m = arg;
    pthread_t thread;
    atomic_store(&turns, 0);
    atomic_store(&ran, 0);
    if (release == open_gate) {
        prepare_gate();
    } else if (release == thread_spawns) {
        ASSERT_EQ(pthread_create(&thread, NULL, spawn_as_thread, NULL), 0);
    }
    for (int i = 0; i < MEMBERS; i++) {
        links[i] = tuco_chan_make(1, m->first == pass_on ? 2 : 0);
        ASSERT(links[i] != NULL);
    }
    for (int i = 0; i < MEMBERS; i++) {
        ASSERT_EQ(tuco_wg_go(&wg, i == 0 ? m->first : m->others, &links[i]), 0);
    }
    if (m->first == pass_on) {
        send_item(links[0]);
    }
    tuco_wg_wait(&wg);
    if (release == thread_spawns) {
        ASSERT_EQ(pthread_join(thread, NULL), 0);
    }
    for (int i = 0; i < MEMBERS; i++) {
        tuco_chan_unref(links[i]);
    }
    return atomic_load(&ran_at) - atomic_load(&released_at);
}

static int ring_main(void *arg) {
    (void)arg;
    turns_expect_at_most(turns_max, count_turns, &(struct members){pass_on, pass_on});
    return 0;
}

static int pipeline_main(void *arg) {
    (void)arg;
    turns_expect_at_most(turns_max, count_turns,
                         &(struct members){make_items, deal_with_items});
    return 0;
}

static void run_members(int procs, int (*main_fn)(void *), void (*how)(void)) {
    bool of_many = procs == 1 && (main_fn == ring_main || how == open_gate);
    turns_max = of_many ? TURNS_OF_MANY : TURNS_MAX;
    turns_use_procs(procs);
    release = how;
    ASSERT_EQ(sem_init(&thread_is_to_spawn, 0, 0), 0);
    RUN(main_fn);
}

/* clang-format off */
TEST(spawned_beside_a_ring_on_one_p)       { run_members(1, ring_main, spawn_them); }
TEST(spawned_beside_a_ring_on_two_ps)      { run_members(2, ring_main, spawn_them); }
TEST(spawned_beside_a_pipeline_on_one_p)   { run_members(1, pipeline_main, spawn_them); }
TEST(spawned_beside_a_pipeline_on_two_ps)  { run_members(2, pipeline_main, spawn_them); }
TEST(spawned_beside_a_pipeline_on_four_ps) { run_members(4, pipeline_main, spawn_them); }
TEST(of_a_thread_beside_a_ring)            { run_members(1, ring_main, thread_spawns); }
TEST(of_a_thread_beside_a_pipeline)        { run_members(1, pipeline_main, thread_spawns); }
TEST(of_a_thread_on_two_ps)                { run_members(2, pipeline_main, thread_spawns); }
TEST(woken_beside_a_ring)                  { run_members(1, ring_main, open_gate); }
TEST(woken_beside_a_pipeline)              { run_members(1, pipeline_main, open_gate); }
TEST(woken_on_two_ps)                      { run_members(2, pipeline_main, open_gate); }
/* clang-format on */
