/* SPDX-License-Identifier: MIT */
/* Proves: the run queue of a P is FIFO, and theft neither loses nor duplicates a
   goroutine. */
#include "test.h"
#include "sched/g.h"
#include "sched/runq.h"

#include <string.h>

#define SLOTS ((int)RT_RUNQ_SLOTS)

/* The queue stores only addresses: it never reads these. */
static struct rt_g gs[2 * RT_RUNQ_SLOTS];
static struct rt_runq queue;
static struct rt_runq thief_queue;

static int number_of(const struct rt_g *g) {
    return (int)(g - gs);
}

static void fill(struct rt_runq *q, int count) {
    for (int i = 0; i < count; i++) {
        ASSERT(rt_runq_put(q, &gs[i]));
    }
}

/* ---- One thread ---- */

TEST(fifo_at_every_fill_level) {
    for (int count = 0; count <= SLOTS; count++) {
        ASSERT(!rt_runq_has_any(&queue));
        ASSERT(rt_runq_pop(&queue) == NULL);
        fill(&queue, count);
        ASSERT_EQ(rt_runq_length(&queue), count);
        ASSERT_EQ(rt_runq_has_any(&queue), count > 0);
        ASSERT_EQ(rt_runq_has_any(&queue), count > 0);
        for (int i = 0; i < count; i++) {
            ASSERT_EQ(number_of(rt_runq_pop(&queue)), i);
        }
        ASSERT(rt_runq_pop(&queue) == NULL);
        ASSERT(!rt_runq_has_any(&queue));
    }
}

TEST(full_ring_refuses) {
    fill(&queue, SLOTS);
    ASSERT(!rt_runq_put(&queue, &gs[SLOTS]));
    ASSERT_EQ(rt_runq_length(&queue), SLOTS);
    ASSERT_EQ(number_of(rt_runq_pop(&queue)), 0);
    ASSERT(rt_runq_put(&queue, &gs[SLOTS]));
    for (int i = 1; i <= SLOTS; i++) {
        ASSERT_EQ(number_of(rt_runq_pop(&queue)), i);
    }
}

/* head and tail pass the end of their 32 bits. */
TEST(numbers_wrap_around) {
    for (int before = 0; before < 3; before++) {
        uint32_t start = UINT32_MAX - (uint32_t)before * 100;
        rt_init(&queue.head, start);
        rt_init(&queue.tail, start);
        fill(&queue, SLOTS);
        ASSERT(!rt_runq_put(&queue, &gs[SLOTS]));
        ASSERT_EQ(rt_runq_length(&queue), SLOTS);
        for (int i = 0; i < SLOTS; i++) {
            ASSERT_EQ(number_of(rt_runq_pop(&queue)), i);
        }
        ASSERT(!rt_runq_has_any(&queue));
    }
}

TEST(next_slot) {
    ASSERT(rt_runq_pop_runnext(&queue) == NULL);
    ASSERT(rt_runq_put_runnext(&queue, &gs[0]) == NULL);
    ASSERT(rt_runq_has_any(&queue));
    ASSERT(rt_runq_has_any(&queue));
    ASSERT_EQ(rt_runq_length(&queue), 0); // length of the ring
    ASSERT_EQ(number_of(rt_runq_put_runnext(&queue, &gs[1])), 0);
    ASSERT(!rt_runq_steal_runnext(&queue, &gs[0])); // it was replaced
    ASSERT(rt_runq_steal_runnext(&queue, &gs[1]));
    ASSERT(rt_runq_pop_runnext(&queue) == NULL);
    ASSERT(rt_runq_put_runnext(&queue, &gs[2]) == NULL);
    ASSERT_EQ(number_of(rt_runq_pop_runnext(&queue)), 2);
    ASSERT(!rt_runq_has_any(&queue));
}

TEST(overflow_takes_the_older_half) {
    struct rt_g *batch[RT_RUNQ_SLOTS / 2];
    fill(&queue, SLOTS - 2); // less than half of the ring: nothing happens
    ASSERT_EQ(rt_runq_take_half(&queue, batch), 0);
    ASSERT_EQ(rt_runq_length(&queue), SLOTS - 2);
    ASSERT(rt_runq_put(&queue, &gs[SLOTS - 2]));
    ASSERT(rt_runq_put(&queue, &gs[SLOTS - 1]));
    ASSERT_EQ(rt_runq_take_half(&queue, batch), SLOTS / 2);
    for (int i = 0; i < SLOTS / 2; i++) {
        ASSERT_EQ(number_of(batch[i]), i);
        ASSERT_EQ(number_of(rt_runq_pop(&queue)), i + SLOTS / 2);
    }
    ASSERT(!rt_runq_has_any(&queue));
}

/* ---- Theft, one thread ---- */

static void drain(struct rt_runq *q, int *seen) {
    for (struct rt_g *g = rt_runq_pop(q); g != NULL; g = rt_runq_pop(q)) {
        seen[number_of(g)]++;
    }
}

static void steal_from(int count) {
    int seen[RT_RUNQ_SLOTS] = {0};
    int moved = count - count / 2;
    fill(&queue, count);
    struct rt_g *g = rt_runq_grab(&thief_queue, &queue);
    ASSERT_EQ(rt_runq_length(&queue), count / 2);
    ASSERT_EQ(g == NULL, count == 0);
    if (g != NULL) {
        seen[number_of(g)]++;
        ASSERT_EQ(rt_runq_length(&thief_queue), moved - 1);
    }
    drain(&thief_queue, seen);
    for (int i = 0; i < moved; i++) {
        ASSERT_EQ(seen[i], 1); // the older half, each once
    }
    drain(&queue, seen);
    for (int i = 0; i < count; i++) {
        ASSERT_EQ(seen[i], 1);
    }
}

TEST(theft_takes_half_of_every_fill_level) {
    for (int count = 0; count <= SLOTS; count++) {
        steal_from(count);
    }
}

TEST(theft_keeps_the_order) {
    fill(&queue, 9);
    ASSERT_EQ(number_of(rt_runq_grab(&thief_queue, &queue)), 4);
    for (int i = 0; i < 4; i++) {
        ASSERT_EQ(number_of(rt_runq_pop(&thief_queue)), i);
    }
    for (int i = 5; i < 9; i++) {
        ASSERT_EQ(number_of(rt_runq_pop(&queue)), i);
    }
}

/* The goroutines in the thief's own ring stay there, in order, before the stolen ones. */
static void steal_into(int in_own) {
    int room = SLOTS - in_own;
    int want = SLOTS / 2 < room ? SLOTS / 2 : room;
    for (int i = 0; i < in_own; i++) {
        ASSERT(rt_runq_put(&thief_queue, &gs[SLOTS + i]));
    }
    fill(&queue, SLOTS);
    struct rt_g *g = rt_runq_grab(&thief_queue, &queue);
    ASSERT_EQ(rt_runq_length(&thief_queue), in_own + (want > 0 ? want - 1 : 0));
    ASSERT_EQ(g == NULL, want == 0);
    ASSERT(g == NULL || number_of(g) == want - 1);
    for (int i = 0; i < in_own; i++) {
        ASSERT_EQ(number_of(rt_runq_pop(&thief_queue)), SLOTS + i);
    }
    for (int i = 0; i < want - 1; i++) {
        ASSERT_EQ(number_of(rt_runq_pop(&thief_queue)), i);
    }
    ASSERT(rt_runq_pop(&thief_queue) == NULL);
    for (int i = want; i < SLOTS; i++) {
        ASSERT_EQ(number_of(rt_runq_pop(&queue)), i);
    }
}

TEST(theft_takes_what_there_is_room_for) {
    for (int in_own = 0; in_own <= SLOTS; in_own++) {
        steal_into(in_own);
    }
}

TEST(theft_leaves_the_next_slot_alone) {
    ASSERT(rt_runq_put_runnext(&queue, &gs[0]) == NULL);
    ASSERT(rt_runq_grab(&thief_queue, &queue) == NULL);
    ASSERT_EQ(rt_runq_length(&thief_queue), 0);
    ASSERT_EQ(number_of(rt_runq_pop_runnext(&queue)), 0);
}

/* ---- Several threads ---- */

#define THIEVES     3
#define CIRCULATING 400
#define STORM       TEST_SIZE(300000, 30000)

static atomic_int taken[CIRCULATING]; /* how many hold this one right now: 1 at most */
static atomic_int hands[CIRCULATING]; /* how often it was taken */
static atomic_int over;
static atomic_int returned_count;
static struct rt_g
    *_Atomic returned[CIRCULATING]; /* a thief's way to give one back to the owner */

static void take(struct rt_g *g) {
    ASSERT_EQ(atomic_exchange(&taken[number_of(g)], 1), 0);
    atomic_fetch_add(&hands[number_of(g)], 1);
}

static void give_back(struct rt_g *g) {
    struct rt_g *empty = NULL;
    take(g);
    ASSERT(atomic_compare_exchange_strong(&returned[number_of(g)], &empty, g));
    atomic_fetch_add(&returned_count, 1);
}

static void steal_until_over(void *arg) {
    (void)arg;
    static _Thread_local struct rt_runq own;
    memset(&own, 0, sizeof(own));
    while (atomic_load(&over) == 0) {
        struct rt_g *next = rt_load_rlx(&queue.runnext);
        if (next != NULL && rt_runq_steal_runnext(&queue, next)) {
            give_back(next);
        }
        struct rt_g *g = rt_runq_grab(&own, &queue);
        for (; g != NULL; g = rt_runq_pop(&own)) {
            give_back(g);
        }
    }
}

static void owner_put(struct rt_g *g, bool as_next) {
    struct rt_g *batch[RT_RUNQ_SLOTS / 2];
    struct rt_g *loser = as_next ? rt_runq_put_runnext(&queue, g) : g;
    while (loser != NULL && !rt_runq_put(&queue, loser)) {
        uint32_t n = rt_runq_take_half(&queue, batch);
        for (uint32_t i = 0; i < n; i++) {
            give_back(batch[i]);
        }
    }
}

static void owner_turn(int i) {
    struct rt_g *g = atomic_exchange(&returned[i % CIRCULATING], NULL);
    if (g != NULL) {
        atomic_fetch_sub(&returned_count, 1);
        atomic_store(&taken[number_of(g)], 0);
        owner_put(g, i % 3 == 0);
    }
    struct rt_g *own = i % 5 == 0 ? rt_runq_pop_runnext(&queue) : rt_runq_pop(&queue);
    if (own != NULL && i % 2 == 0) {
        give_back(own);
    } else if (own != NULL) {
        owner_put(own, false);
    }
}

static void expect_each_once(void) {
    for (struct rt_g *g = rt_runq_pop_runnext(&queue); g != NULL;
         g = rt_runq_pop_runnext(&queue)) {
        give_back(g);
    }
    for (struct rt_g *g = rt_runq_pop(&queue); g != NULL; g = rt_runq_pop(&queue)) {
        give_back(g);
    }
    ASSERT_EQ(atomic_load(&returned_count), CIRCULATING);
    for (int i = 0; i < CIRCULATING; i++) {
        ASSERT_EQ(atomic_load(&taken[i]), 1);
        ASSERT_GT(atomic_load(&hands[i]), 1);
    }
}

/* More goroutines than slots circulate between an owner and thieves: each has one holder
   at a time, and at the end none is missing. */
TEST(owner_and_thieves) {
    struct test_thread thieves[THIEVES];
    for (int i = 0; i < CIRCULATING; i++) {
        give_back(&gs[i]);
    }
    for (int i = 0; i < THIEVES; i++) {
        test_thread_start(&thieves[i], steal_until_over, NULL);
    }
    for (int i = 0; i < STORM; i++) {
        owner_turn(i);
    }
    atomic_store(&over, 1);
    for (int i = 0; i < THIEVES; i++) {
        test_thread_join(&thieves[i]);
    }
    expect_each_once();
}
