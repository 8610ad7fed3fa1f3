/* SPDX-License-Identifier: MIT */
/* Proves what mem/stack.h promises of caches, the depot, guards and memory given back. */
#include "mem/stack.h"
#include "os/os.h"
#include "test.h"

#include <string.h>

#define LOG2  RT_STACK_DEFAULT_LOG2
#define BURST 100
#define DEEP  ((size_t)128 * 1024)

static struct rt_stack_cache cache;
static struct rt_stack *taken[BURST];

static void set_up(enum rt_stack_guard guard) {
    rt_stack_configure(LOG2, guard);
    memset(&cache, 0, sizeof cache);
}

static void tear_down(void) {
    rt_stack_flush(&cache);
    rt_stack_free_all();
    ASSERT_EQ(rt_stack_count().made, 0);
}

static void take_burst(void) {
    for (int i = 0; i < BURST; i++) {
        taken[i] = rt_stack_get(&cache, LOG2);
        ASSERT(taken[i] != NULL);
    }
}

static void give_burst(void) {
    for (int i = 0; i < BURST; i++) {
        rt_stack_put(&cache, taken[i]);
    }
}

static void fill(struct rt_stack *s, size_t bytes) {
    memset((char *)s->top - bytes, 0x5a, bytes);
}

TEST(stacks_do_not_overlap) {
    set_up(RT_GUARD_GAP);
    take_burst();
    for (int i = 0; i < BURST; i++) {
        ASSERT((char *)taken[i]->top <= taken[i]->low + rt_stack_bytes(taken[i]));
        ASSERT((char *)taken[i]->top >
               taken[i]->low + rt_stack_bytes(taken[i]) - OS_PAGE_BYTES);
        for (int j = 0; j < i; j++) {
            ASSERT(taken[i]->low >= taken[j]->low + rt_stack_bytes(taken[j]) ||
                   taken[j]->low >= taken[i]->low + rt_stack_bytes(taken[i]));
        }
    }
    give_burst();
    tear_down();
}

TEST(tops_of_neighbours_differ_in_colour) {
    set_up(RT_GUARD_GAP);
    struct rt_stack *a = rt_stack_get(&cache, LOG2);
    struct rt_stack *b = rt_stack_get(&cache, LOG2);
    ASSERT((uintptr_t)a->top % OS_PAGE_BYTES != (uintptr_t)b->top % OS_PAGE_BYTES);
    rt_stack_put(&cache, a);
    rt_stack_put(&cache, b);
    tear_down();
}

TEST(the_warmest_is_reused_first) {
    set_up(RT_GUARD_PROTECT);
    struct rt_stack *a = rt_stack_get(&cache, LOG2);
    struct rt_stack *b = rt_stack_get(&cache, LOG2);
    rt_stack_put(&cache, a);
    rt_stack_put(&cache, b);
    ASSERT(rt_stack_get(&cache, LOG2) == b);
    ASSERT(rt_stack_get(&cache, LOG2) == a);
    rt_stack_put(&cache, a);
    rt_stack_put(&cache, b);
    tear_down();
}

TEST(a_second_burst_makes_no_new_stacks) {
    set_up(RT_GUARD_PROTECT);
    take_burst();
    size_t made = rt_stack_count().made;
    give_burst();
    take_burst();
    ASSERT_EQ(rt_stack_count().made, made);
    give_burst();
    tear_down();
}

TEST(a_burst_is_given_back_to_the_kernel) {
    set_up(RT_GUARD_PROTECT);
    take_burst();
    for (int i = 0; i < BURST; i++) {
        fill(taken[i], DEEP);
    }
    long full = test_resident_kib();
    give_burst();
    rt_stack_flush(&cache);
    ASSERT_EQ(rt_stack_count().warm, rt_stack_count().made);
    while (rt_stack_scavenge()) {
    }
    ASSERT_EQ(rt_stack_count().warm, 0);
    ASSERT_LE(test_resident_kib(), full - (long)(BURST * DEEP / 1024 / 2));
    tear_down();
}

TEST(what_is_needed_between_two_looks_stays_warm) {
    set_up(RT_GUARD_PROTECT);
    take_burst();
    give_burst();
    rt_stack_flush(&cache);
    rt_stack_scavenge(); // begins a period
    take_burst();        // all are needed in it
    give_burst();
    rt_stack_flush(&cache);
    rt_stack_scavenge();
    ASSERT(rt_stack_count().warm >= BURST);
    tear_down();
}

TEST(an_unused_slab_is_unmapped) {
    set_up(RT_GUARD_PROTECT);
    take_burst(); // more than the first slabs hold
    size_t made = rt_stack_count().made;
    give_burst();
    rt_stack_flush(&cache);
    while (rt_stack_scavenge()) {
    }
    ASSERT(rt_stack_count().made < made);
    take_burst();
    give_burst();
    tear_down();
}

TEST(a_deep_stack_is_trimmed_when_reused) {
    set_up(RT_GUARD_PROTECT);
    take_burst();
    for (int i = 0; i < BURST; i++) {
        fill(taken[i], DEEP);
    }
    give_burst();
    rt_stack_flush(&cache);
    long deep = test_resident_kib();
    take_burst();
    ASSERT_LE(test_resident_kib(), deep - (long)(BURST * DEEP / 1024 / 2));
    give_burst();
    tear_down();
}

TEST(large_sizes_are_given_back_at_once) {
    set_up(RT_GUARD_PROTECT);
    struct rt_stack *s = rt_stack_get(&cache, 26 /* 64 MiB */);
    ASSERT(s != NULL);
    fill(s, (size_t)32 << 20);
    long full = test_resident_kib();
    rt_stack_put(&cache, s);
    ASSERT_LE(test_resident_kib(), full - 16 * 1024);
    tear_down();
}

static void overflow_gap(void *arg) {
    (void)arg;
    set_up(RT_GUARD_GAP);
    struct rt_stack *s = rt_stack_get(&cache, LOG2);
    memset(s->low + RT_STACK_GUARD_BYTES - 64, 1, 64);
    rt_stack_put(&cache, s);
}

TEST(a_written_gap_is_reported) {
    EXPECT_DEATH(overflow_gap, NULL, "stack overflow");
}
