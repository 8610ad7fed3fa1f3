/* SPDX-License-Identifier: MIT */
/* Proves: a set of Ps hands out each P once, the lowest first, in whichever word it
   is. */
#include "test.h"
#include "sched/sched.h"
#include "sched/thread/pmask.h"

static struct rt_pmask mask;

/* The first procs Ps are in the set, and in use. */
static void begin(uint32_t procs) {
    rt_pmask_init(&mask, procs);
    rt_store_rlx(&rt_sched.ps_end, procs); /* relaxed: no other thread is there */
}

TEST(begins_with_the_first_ones) {
    static const uint32_t sizes[] = {0, 1, 63, 64, 65, 128, RT_PROCS_MAX};
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        begin(sizes[i]);
        ASSERT_EQ(rt_pmask_count(&mask), sizes[i]);
        for (uint32_t p = 0; p < RT_PROCS_MAX; p++) {
            ASSERT_EQ(rt_pmask_has(&mask, p), p < sizes[i]);
        }
    }
}

TEST(is_given_away_once) {
    begin(130);
    ASSERT(rt_pmask_clear(&mask, 129));
    ASSERT(!rt_pmask_clear(&mask, 129));
    ASSERT(!rt_pmask_has(&mask, 129));
    rt_pmask_set(&mask, 129);
    ASSERT(rt_pmask_clear(&mask, 129));
    ASSERT_EQ(rt_pmask_count(&mask), 129);
}

TEST(lowest_is_taken_first) {
    begin(130);
    for (int p = 0; p < 130; p++) {
        ASSERT_EQ(rt_pmask_take_any(&mask), p);
    }
    ASSERT_EQ(rt_pmask_take_any(&mask), -1);
}

TEST(one_is_left_out) {
    begin(65);
    ASSERT_EQ(rt_pmask_take_any_but(&mask, 0), 1);
    for (int p = 2; p < 65; p++) {
        ASSERT_EQ(rt_pmask_take_any_but(&mask, 0), p);
    }
    ASSERT_EQ(rt_pmask_take_any_but(&mask, 0), -1);
    ASSERT_EQ(rt_pmask_take_any(&mask), 0);
}
