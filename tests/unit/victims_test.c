/* SPDX-License-Identifier: MIT */
/* not under tsan */
/* Proves: a thief comes by every P exactly once, whatever the start and the stride. */
#include "test.h"
#include "sched/victims.h"

#define PROCS_MAX 64

static struct rt_victims_order order;

static void expect_each_once(struct rt_victims_walk walk, uint32_t procs) {
    int visits[RT_PROCS_MAX] = {0};
    uint32_t p;
    uint32_t total = 0;
    while (rt_victims_next(&walk, &p)) {
        ASSERT_LT(p, procs);
        visits[p]++;
        total++;
    }
    ASSERT_EQ(total, procs);
    for (uint32_t i = 0; i < procs; i++) {
        ASSERT_EQ(visits[i], 1);
    }
    ASSERT(!rt_victims_next(&walk, &p)); // it stays at its end
}

TEST(every_walk_visits_each_once) {
    for (uint32_t procs = 1; procs <= PROCS_MAX; procs++) {
        rt_victims_init(&order, procs);
        for (uint32_t i = 0; i < procs * order.coprimes_count; i++) {
            expect_each_once(rt_victims_begin(&order, i), procs);
        }
    }
}

TEST(largest_order) {
    static const uint32_t randoms[] = {0, 1, 1023, 1024, 99999, UINT32_MAX};
    rt_victims_init(&order, RT_PROCS_MAX);
    for (size_t i = 0; i < sizeof(randoms) / sizeof(randoms[0]); i++) {
        expect_each_once(rt_victims_begin(&order, randoms[i]), RT_PROCS_MAX);
    }
}

/* With one stride only, thieves that start together stay together. */
TEST(there_is_a_choice_of_strides) {
    for (uint32_t procs = 1; procs <= RT_PROCS_MAX; procs++) {
        rt_victims_init(&order, procs);
        ASSERT_GE(order.coprimes_count, procs >= 3 ? 2 : 1);
    }
}

/* All pairs of start and stride come up, each from one number of a row. */
TEST(different_numbers_give_different_walks) {
    enum { PROCS = 12 };
    static bool seen[PROCS][PROCS + 1];
    rt_victims_init(&order, PROCS);
    for (uint32_t i = 0; i < PROCS * order.coprimes_count; i++) {
        struct rt_victims_walk walk = rt_victims_begin(&order, i);
        ASSERT(!seen[walk.at][walk.stride]);
        seen[walk.at][walk.stride] = true;
    }
}
