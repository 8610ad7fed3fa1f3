/* SPDX-License-Identifier: MIT */
/* Proves: the global run queue is FIFO, hands out fair shares, and knows its length. */
#include "test.h"
#include "sched/g.h"
#include "sched/globq.h"
#include "sched/p.h"

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

/* The share of each of procs Ps, rounded up but for even division, and never more than
   half a ring. */
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

TEST(fair_shares) {
    ASSERT(rt_globq_take_batch(&p, 4) == NULL);
    expect_batch(1, 1, 1);
    expect_batch(1, 4, 1);
    expect_batch(7, 4, 2);
    expect_batch(10, 1, 10);
    expect_batch(100, 4, 26);
    expect_batch(COUNT, 1, RT_RUNQ_SLOTS / 2);
    expect_batch(COUNT, 2, RT_RUNQ_SLOTS / 2);
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
