/* SPDX-License-Identifier: MIT */
/* not under tsan */
/* Proves: a thief visits every P exactly once, for any start and stride. */
#include "test.h"
#include "sched/steal.h"

#define PROCS_MAX 64

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

/* Larger numbers repeat the same walks. */
TEST(every_walk_visits_each_once) {
    for (uint32_t procs = 1; procs <= PROCS_MAX; procs++) {
        for (uint32_t i = 0; i < PROCS_MAX * PROCS_MAX; i++) {
            expect_each_once(rt_victims_begin(procs, i), procs);
        }
    }
}

TEST(any_number) {
    static const uint32_t randoms[] = {0, 1, 1023, 1024, 99999, UINT32_MAX};
    for (uint32_t procs = 1; procs <= RT_PROCS_MAX; procs++) {
        for (size_t i = 0; i < sizeof(randoms) / sizeof(randoms[0]); i++) {
            expect_each_once(rt_victims_begin(procs, randoms[i]), procs);
        }
    }
}

/* With one stride only, thieves that start together stay together. */
TEST(starts_and_strides_go_together_in_all_ways) {
    enum { PROCS = 12, ROUND = 16 };
    static int seen[ROUND][ROUND];
    for (uint32_t i = 0; i < ROUND * ROUND; i++) {
        struct rt_victims_walk walk = rt_victims_begin(PROCS, i);
        seen[walk.at][walk.stride]++;
    }
    for (int at = 0; at < ROUND; at++) {
        for (int stride = 1; stride < ROUND; stride += 2) {
            ASSERT_EQ(seen[at][stride], 2);
        }
    }
}
