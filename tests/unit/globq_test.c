/* SPDX-License-Identifier: MIT */
/* Proves: the global run queue is FIFO, hands out fair shares, and counts its
   goroutines. */
#include "test.h"
#include "os/os.h"
#include "sched/g.h"
#include "sched/globq.h"
#include "sched/runq.h"

#define COUNT 1000

static struct rt_g gs[COUNT];
static struct rt_p p;

static int number_of(const struct rt_g *g) {
    return (int)(g - gs);
}

static void put(int first, int count) {
    for (int i = first; i < first + count; i++) {
        rt_globq_put(&gs[i]);
    }
}

TEST(fifo) {
    ASSERT_EQ(rt_globq_length(), 0);
    ASSERT(rt_globq_take_one() == NULL);
    put(0, COUNT);
    ASSERT_EQ(rt_globq_length(), COUNT);
    for (int i = 0; i < COUNT; i++) {
        ASSERT_EQ(number_of(rt_globq_take_one()), i);
        ASSERT_EQ(rt_globq_length(), COUNT - 1 - i);
    }
    ASSERT(rt_globq_take_one() == NULL);
}

TEST(lists_keep_their_order) {
    struct rt_glist list = {.first = NULL};
    ASSERT(rt_glist_pop(&list) == NULL);
    rt_globq_put_list(&list); // nothing
    ASSERT_EQ(rt_globq_length(), 0);
    rt_globq_put(&gs[0]);
    for (int i = 1; i < 4; i++) {
        rt_glist_append(&list, &gs[i]);
        ASSERT_EQ(list.count, i);
    }
    rt_globq_put_list(&list);
    ASSERT_EQ(list.count, 0);
    ASSERT(rt_glist_pop(&list) == NULL);
    rt_globq_put(&gs[4]);
    for (int i = 0; i < 5; i++) {
        ASSERT_EQ(number_of(rt_globq_take_one()), i);
    }
}

/* One overflow: half a ring, and the goroutine that did not fit. */
#define OVERFLOW ((int)RT_RUNQ_SLOTS / 2 + 1)

/* The share of each of procs Ps is rounded up, except for even division, and never more
   than half a run queue and the one that is returned. */
static void expect_batch(int queued, int procs, int share) {
    put(0, queued);
    ASSERT_EQ(number_of(rt_globq_take_batch(&p, (uint32_t)procs)), 0);
    ASSERT_EQ(rt_runq_length(&p.runq), share - 1);
    ASSERT_EQ(rt_globq_length(), queued - share);
    for (int i = 1; i < share; i++) {
        ASSERT_EQ(number_of(rt_runq_pop(&p.runq)), i);
    }
    for (int i = share; i < queued; i++) {
        ASSERT_EQ(number_of(rt_globq_take_one()), i);
    }
    ASSERT_EQ(rt_globq_length(), 0);
}

static void put_chunk(int first, int count) {
    struct rt_g *chunk[COUNT];
    for (int i = 0; i < count; i++) {
        chunk[i] = &gs[first + i];
    }
    rt_globq_put_array(chunk, (uint32_t)count);
}

static void drain_ring(void) {
    while (rt_runq_pop(&p.runq) != NULL) {
    }
}

static void wait_ns(int64_t ns) {
    int64_t end = os_now() + ns;
    while (os_now() < end) {
    }
}

#define AGE_NS   (11 * 1000 * 1000)
#define DRAIN_NS (40 * 1000 * 1000)

static void expect_overflow(struct rt_g *taken, int first) {
    ASSERT_EQ(number_of(taken), first);
    for (int i = 1; i < OVERFLOW; i++) {
        ASSERT_EQ(number_of(rt_runq_pop(&p.runq)), first + i);
    }
    ASSERT_EQ(rt_runq_length(&p.runq), 0);
}

TEST(newest_overflow_goes_first_until_the_oldest_is_aged) {
    put_chunk(0, OVERFLOW);
    put_chunk(OVERFLOW, OVERFLOW);
    expect_overflow(rt_globq_take_batch(&p, 1), OVERFLOW);
    wait_ns(AGE_NS);
    put_chunk(2 * OVERFLOW, OVERFLOW);
    expect_overflow(rt_globq_take_batch(&p, 1), 0);
    expect_overflow(rt_globq_take_batch(&p, 1), 2 * OVERFLOW);
    ASSERT_EQ(rt_globq_length(), 0);
}

/* The chunks that have aged together have a turn each in 40 ms; in between the newest goes
   first. */
TEST(each_aged_overflow_leaves_in_one_turn) {
    wait_ns(DRAIN_NS); /* since the last turn of an aged one */
    for (int i = 0; i < 4; i++) {
        put_chunk(i * OVERFLOW, OVERFLOW);
    }
    wait_ns(AGE_NS);
    for (int i = 0; i < 4; i++) {
        expect_overflow(rt_globq_take_batch(&p, 1), i * OVERFLOW);
        wait_ns(DRAIN_NS / 4);
    }
    ASSERT_EQ(rt_globq_length(), 0);
}

/* A ring with little room takes a part of the oldest, and the turn of the rest comes sooner
   by as much. */
TEST(what_is_left_of_an_aged_overflow_does_not_wait_for_a_whole_turn) {
    wait_ns(DRAIN_NS);
    put_chunk(0, OVERFLOW);
    put_chunk(OVERFLOW, OVERFLOW);
    wait_ns(AGE_NS);
    for (int i = 0; i < (int)RT_RUNQ_SLOTS - 1; i++) {
        ASSERT(rt_runq_put(&p.runq, &gs[2 * OVERFLOW + i]));
    }
    ASSERT_EQ(number_of(rt_globq_take_share(&p, 1)), 0);
    drain_ring();
    wait_ns(DRAIN_NS / OVERFLOW);
    ASSERT_EQ(number_of(rt_globq_take_batch(&p, 1)), 2);
    ASSERT_EQ(rt_runq_length(&p.runq), OVERFLOW - 3);
    drain_ring();
    while (rt_globq_take_one() != NULL) {
    }
}

TEST(aged_overflow_goes_to_a_busy_p_too) {
    wait_ns(DRAIN_NS);
    put_chunk(0, OVERFLOW);
    wait_ns(AGE_NS);
    put_chunk(OVERFLOW, OVERFLOW);
    ASSERT(rt_runq_put(&p.runq, &gs[2 * OVERFLOW]));
    ASSERT_EQ(number_of(rt_globq_take_share(&p, 1)), 0);
    ASSERT_EQ(rt_runq_length(&p.runq), OVERFLOW);
    ASSERT_EQ(number_of(rt_globq_take_share(&p, 1)), OVERFLOW); /* it is not aged */
    ASSERT_EQ(rt_runq_length(&p.runq), OVERFLOW);
    drain_ring();
    while (rt_globq_take_one() != NULL) {
    }
}

TEST(yielded_go_last_and_in_order) {
    struct rt_glist yielded = {.first = NULL};
    for (int i = 0; i < 5; i++) {
        rt_glist_append(&yielded, &gs[i]);
    }
    rt_globq_put_yielded(&yielded);
    rt_globq_put(&gs[5]);
    ASSERT_EQ(rt_globq_ahead(), 1);
    ASSERT_EQ(rt_globq_yielded(), 5);
    ASSERT_EQ(number_of(rt_globq_take_batch(&p, 1)), 5);
    ASSERT(rt_globq_take_batch(&p, 1) == NULL);
    ASSERT_EQ(number_of(rt_globq_take_yielded(&p, 2)), 0);
    ASSERT_EQ(rt_runq_length(&p.yieldq), 2);
    ASSERT_EQ(number_of(rt_runq_pop(&p.yieldq)), 1);
    ASSERT_EQ(number_of(rt_runq_pop(&p.yieldq)), 2);
    ASSERT_EQ(number_of(rt_globq_take_one()), 3);
    ASSERT_EQ(number_of(rt_globq_take_one()), 4);
    ASSERT_EQ(rt_globq_length(), 0);
}

TEST(shares_fit_into_the_ring) {
    put(0, 300);
    for (int i = 0; i < (int)RT_RUNQ_SLOTS - 3; i++) {
        ASSERT(rt_runq_put(&p.runq, &gs[300 + i]));
    }
    ASSERT_EQ(number_of(rt_globq_take_batch(&p, 1)), 0);
    ASSERT_EQ(rt_runq_length(&p.runq), RT_RUNQ_SLOTS);
    ASSERT_EQ(number_of(rt_globq_take_share(&p, 1)), 4);
    ASSERT_EQ(rt_runq_length(&p.runq), RT_RUNQ_SLOTS);
    drain_ring();
    while (rt_globq_take_one() != NULL) {
    }
}

TEST(fair_shares) {
    ASSERT(rt_globq_take_batch(&p, 4) == NULL);
    expect_batch(1, 1, 1);
    expect_batch(1, 4, 1);
    expect_batch(7, 4, 2);
    expect_batch(10, 1, 10);
    expect_batch(100, 4, 26);
    expect_batch(COUNT, 1, OVERFLOW);
    expect_batch(COUNT, 2, OVERFLOW);
}

/* A share fills the run queue as far as there is room; the rest stays in the queue. */
static void expect_room_kept(int in_ring) {
    struct rt_g *g;
    for (int i = 0; i < in_ring; i++) {
        ASSERT(rt_runq_put(&p.runq, &gs[i]));
    }
    int room = (int)RT_RUNQ_SLOTS - in_ring;
    int most = (int)RT_RUNQ_SLOTS / 2;
    int moved = room < most ? room : most;
    put(in_ring, COUNT - in_ring);
    ASSERT_EQ(number_of(rt_globq_take_batch(&p, 1)), in_ring);
    ASSERT_EQ(rt_runq_length(&p.runq), in_ring + moved);
    ASSERT_EQ(rt_globq_length(), COUNT - in_ring - 1 - moved);
    for (int i = 0; (g = rt_runq_pop(&p.runq)) != NULL; i++) {
        ASSERT_EQ(number_of(g), i < in_ring ? i : i + 1); // take returned one
    }
    while (rt_globq_take_one() != NULL) {
    }
}

TEST(ring_has_room_for_a_batch) {
    for (int in_ring = 0; in_ring <= (int)RT_RUNQ_SLOTS; in_ring++) {
        expect_room_kept(in_ring);
    }
}

/* ---- Several threads: what is taken is put back, and nothing is lost or doubled ---- */

#define THREADS 4
#define TURNS   TEST_SIZE(20000, 2000)

static atomic_int held[COUNT];

static void take_and_put(void *arg) {
    (void)arg;
    for (int i = 0; i < TURNS; i++) {
        struct rt_g *g = rt_globq_take_one();
        if (g != NULL) {
            ASSERT_EQ(atomic_exchange(&held[number_of(g)], 1), 0);
            atomic_store(&held[number_of(g)], 0);
            rt_globq_put(g);
        }
    }
}

TEST(takers_and_putters) {
    int seen[COUNT] = {0};
    put(0, COUNT);
    test_threads_run(THREADS, take_and_put, NULL);
    ASSERT_EQ(rt_globq_length(), COUNT);
    for (int i = 0; i < COUNT; i++) {
        seen[number_of(rt_globq_take_one())]++;
    }
    for (int i = 0; i < COUNT; i++) {
        ASSERT_EQ(seen[i], 1);
    }
}
