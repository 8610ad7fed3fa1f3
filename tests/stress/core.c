/* SPDX-License-Identifier: MIT */
/* Proves: goroutines and threads that work at the same time in random ways do all work
   once, and all end. */

/*
 * Runs rounds of random work until the time is over. A round starts the runtime in one of
 * its two ways, starts some actors, and stops the runtime again. An actor is a goroutine
 * or a foreign thread with its own random generator that performs some acts:
 *
 *     tree     goroutines spawn others, end by return or by tuco_exit, and are waited for
 *     storm    many waiters on one wait group, released by several goroutines at once
 *     duel     two goroutines wake each other in turn
 *     ring     a token passes around among many goroutines
 *     yields   only yields
 *
 * Invariants: each act counts what it has started and what has ended, and both are equal
 * at its end; plain variables that only the wait groups order change in order; after a
 * round no goroutine and no thread of the runtime is left.
 *
 * The seed gives the same acts again, not the same interleaving of threads.
 */
#include "test.h"
#include "base/rand.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ACTORS_MAX  12
#define THREADS_MAX 4
#define ACTS_MAX    6

/* All actors together stay below the limit of live goroutines. */
#define TREE_MAX  (TEST_LIVE_MAX / (ACTORS_MAX + THREADS_MAX) / 2)
#define STORM_MAX (TREE_MAX / 2)
#define DUEL_MAX  TEST_SIZE(300, 50)
#define RING_MAX  (STORM_MAX < 300 ? STORM_MAX : 300)

static int below(struct rt_rand *r, int n) {
    return (int)rt_rand_below(r, (uint32_t)n);
}

static void some_yields(struct rt_rand *r) {
    for (int n = below(r, 20); n > 0; n--) {
        tuco_yield();
    }
}

/* ---- Tree ---- */

struct node {
    struct rt_rand rand;
    int size; /* of the tree below and including this node */
    tuco_wg *up;
    atomic_int *ran;
};

static void done(void *arg) {
    tuco_wg_done(arg);
}

static void grow(struct node *parent, int size, tuco_wg *up);

static void node_body(void *arg) {
    struct node *node = arg;
    struct rt_rand *r = &node->rand;
    tuco_wg here = {0};
    tuco_wg *children = below(r, 2) == 0 ? &here : node->up;
    ASSERT_EQ(tuco_defer(done, node->up), 0);
    atomic_fetch_add(node->ran, 1);
    for (int left = node->size - 1; left > 0;) {
        int part = 1 + below(r, left);
        grow(node, part, children);
        left -= part;
        if (below(r, 8) == 0) {
            tuco_yield();
        }
    }
    tuco_wg_wait(&here);
    if (below(r, 4) == 0) {
        tuco_exit();
    }
}

static void grow(struct node *parent, int size, tuco_wg *up) {
    struct node child = {{rt_rand_next(&parent->rand)}, size, up, parent->ran};
    tuco_wg_add(up, 1);
    ASSERT_EQ(tuco_go_copy(node_body, &child, sizeof(child)), 0);
}

static void act_tree(struct rt_rand *r) {
    tuco_wg all = {0};
    atomic_int ran = 0;
    int size = 1 + below(r, TREE_MAX);
    struct node root = {.rand = {rt_rand_next(r)}, .ran = &ran};
    grow(&root, size, &all);
    tuco_wg_wait(&all);
    ASSERT_EQ(atomic_load(&ran), size);
}

/* ---- Storm ---- */

struct storm {
    tuco_wg gate;
    tuco_wg end;
    atomic_int opened;
    atomic_int passed;
    int openers;
};

static void storm_wait(void *arg) {
    struct storm *s = arg;
    tuco_wg_wait(&s->gate);
    ASSERT_EQ(atomic_load(&s->opened), s->openers);
    atomic_fetch_add(&s->passed, 1);
}

static void storm_open(void *arg) {
    struct storm *s = arg;
    atomic_fetch_add(&s->opened, 1);
    tuco_wg_done(&s->gate);
}

static void act_storm(struct rt_rand *r) {
    struct storm s;
    memset(&s, 0, sizeof(s));
    int waiters = 1 + below(r, STORM_MAX);
    s.openers = 1 + below(r, 10);
    tuco_wg_add(&s.gate, s.openers);
    for (int i = 0; i < waiters; i++) {
        ASSERT_EQ(tuco_wg_go(&s.end, storm_wait, &s), 0);
    }
    some_yields(r);
    for (int i = 0; i < s.openers; i++) {
        ASSERT_EQ(tuco_wg_go(&s.end, storm_open, &s), 0);
    }
    tuco_wg_wait(&s.gate); // the actor waits with the others
    tuco_wg_wait(&s.end);
    ASSERT_EQ(atomic_load(&s.passed), waiters);
}

/* ---- Duel and ring: a token among players; a duel is a ring of two ---- */

struct ring {
    int players;
    int rounds;
    int hits; /* plain: written by the player with the token */
    tuco_wg end;
    tuco_wg turn[]; /* zero: that player has the token */
};

struct player {
    struct ring *ring;
    int number;
};

static void play(void *arg) {
    struct player *me = arg;
    struct ring *ring = me->ring;
    tuco_wg *mine = &ring->turn[me->number];
    tuco_wg *next = &ring->turn[(me->number + 1) % ring->players];
    for (int i = 0; i < ring->rounds; i++) {
        tuco_wg_wait(mine);
        tuco_wg_add(mine, 1);
        ASSERT_EQ(ring->hits, i * ring->players + me->number);
        ring->hits++;
        tuco_wg_done(next);
    }
}

static void play_copy(void *arg) {
    struct player *me = arg;
    play(me);
    tuco_wg_done(&me->ring->end);
}

static void pass_token(int players, int rounds) {
    struct ring *ring = calloc(1, sizeof(*ring) + (size_t)players * sizeof(tuco_wg));
    ASSERT(ring != NULL);
    ring->players = players;
    ring->rounds = rounds;
    for (int i = 1; i < players; i++) {
        struct player player = {ring, i};
        tuco_wg_add(&ring->turn[i], 1);
        tuco_wg_add(&ring->end, 1);
        ASSERT_EQ(tuco_go_copy(play_copy, &player, sizeof(player)), 0);
    }
    play(&(struct player){ring, 0}); // the actor itself is the first player
    tuco_wg_wait(&ring->end);
    ASSERT_EQ(ring->hits, players * rounds);
    free(ring);
}

static void act_duel(struct rt_rand *r) {
    pass_token(2, 1 + below(r, DUEL_MAX));
}

static void act_ring(struct rt_rand *r) {
    pass_token(2 + below(r, RING_MAX), 1 + below(r, 4));
}

/* ---- Actors ---- */

static void (*const acts[])(struct rt_rand *) = {act_tree, act_storm, act_duel, act_ring,
                                                 some_yields};

static void perform(uint64_t seed) {
    struct rt_rand rand = {seed};
    for (int n = 1 + below(&rand, ACTS_MAX); n > 0; n--) {
        acts[below(&rand, sizeof(acts) / sizeof(acts[0]))](&rand);
    }
}

/* The state of one round. */
static tuco_wg actors_left;
static tuco_wg threads_left;

static void actor_goroutine(void *arg) {
    perform(*(uint64_t *)arg);
    tuco_wg_done(&actors_left);
}

static void actor_thread(void *arg) {
    perform(*(uint64_t *)arg);
    tuco_wg_done(&threads_left);
}

static void start_goroutines(struct rt_rand *r) {
    int count = 1 + below(r, ACTORS_MAX);
    tuco_wg_add(&actors_left, count);
    for (int i = 0; i < count; i++) {
        uint64_t seed = rt_rand_next(r);
        ASSERT_EQ(tuco_go_copy(actor_goroutine, &seed, sizeof(seed)), 0);
    }
}

struct troupe {
    int count;
    struct test_thread threads[THREADS_MAX];
    uint64_t seeds[THREADS_MAX];
};

static void start_threads(struct rt_rand *r, struct troupe *t) {
    t->count = below(r, THREADS_MAX + 1);
    tuco_wg_add(&threads_left, t->count);
    for (int i = 0; i < t->count; i++) {
        t->seeds[i] = rt_rand_next(r);
        test_thread_start(&t->threads[i], actor_thread, &t->seeds[i]);
    }
}

static void join_threads(struct troupe *t) {
    for (int i = 0; i < t->count; i++) {
        test_thread_join(&t->threads[i]);
    }
}

/* ---- Rounds ---- */

static int run_main(void *arg) {
    struct rt_rand *r = arg;
    struct troupe troupe;
    start_goroutines(r);
    start_threads(r, &troupe);
    perform(rt_rand_next(r));
    tuco_wg_wait(&actors_left);
    tuco_wg_wait(&threads_left);
    join_threads(&troupe);
    test_await_alone();
    return 0;
}

static void round_of_run(struct rt_rand *r) {
    ASSERT_EQ(tuco_run(run_main, r), 0);
}

static tuco_wg held;

static void hold(void *arg) {
    (void)arg;
    tuco_wg_wait(&held);
}

/* While one goroutine is held, a stop must time out and not disturb the others. */
static void round_of_start(struct rt_rand *r) {
    struct troupe troupe;
    ASSERT_EQ(tuco_start(), 0);
    tuco_wg_add(&held, 1);
    ASSERT_EQ(tuco_go(hold, NULL), 0);
    start_goroutines(r);
    start_threads(r, &troupe);
    for (int i = below(r, 4); i > 0; i--) {
        tuco_time patience = below(r, 3) * TUCO_MILLISECOND;
        ASSERT_EQ(tuco_stop(tuco_deadline(patience)), -ETIMEDOUT);
    }
    perform(rt_rand_next(r));
    join_threads(&troupe);
    tuco_wg_done(&held);
    ASSERT_EQ(tuco_stop(TUCO_NEVER), 0);
}

/* Settings that change the paths in the runtime, but not its documented behaviour. */
static void choose_settings(struct rt_rand *r) {
    static const char *const debug[] = {NULL, NULL, "migrate=1", "fence=plain"};
    static const char *const guards[] = {NULL, NULL, "mprotect", "gap"};
    test_setenv("TUCODEBUG", debug[below(r, 4)]);
    test_setenv("TUCOGUARD", guards[below(r, 4)]);
}

TEST(core) {
    struct rt_rand rand = {test_seed()};
    int threads = test_count_threads();
    int rounds = 0;
    tuco_time end = tuco_deadline(test_seconds() * TUCO_SECOND);
    while (tuco_now() < end) {
        choose_settings(&rand);
        (below(&rand, 2) == 0 ? round_of_run : round_of_start)(&rand);
        ASSERT_EQ(tuco_count(), 0);
        EXPECT_THREADS(threads);
        rounds++;
    }
    printf("%d rounds\n", rounds);
}
