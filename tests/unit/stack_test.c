/* SPDX-License-Identifier: MIT */
/* Proves: caches, the depot, guards and the scavenger behave as mem/stack.h documents. */
#include "fault.h"
#include "mem/stack.h"
#include "os/os.h"
#include "test.h"

#include <errno.h>
#include <string.h>

#define LOG2  RT_STACK_DEFAULT_LOG2
#define BURST 100
#define DEEP  ((size_t)128 * 1024)

/* A large burst, scavenged in slices of at most SLICE_MAX. A fixed number per period
   would leave half of it after MANY_PERIODS. */
#define MANY         60000
#define MANY_PERIODS 8
#define SLICE_MAX    600

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

/* Returns false if nothing is left to free, in later periods either. */
static bool scavenge_period(void) {
    enum rt_scavenged left = RT_SCAVENGED_SOME;
    rt_stack_scavenge_begin();
    while (left == RT_SCAVENGED_SOME) {
        left = rt_stack_scavenge();
    }
    return left != RT_SCAVENGED_ALL;
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
    while (scavenge_period()) {
    }
    ASSERT_EQ(rt_stack_count().warm, 0);
    ASSERT_LE(test_resident_kib(), full - (long)(BURST * DEEP / 1024 / 2));
    tear_down();
}

/* Never touched, so that they cost little memory. */
static void put_many_warm(uint32_t count) {
    struct rt_stack *list = NULL;
    for (uint32_t i = 0; i < count; i++) {
        struct rt_stack *s = rt_stack_get(&cache, RT_STACK_MIN_LOG2);
        ASSERT(s != NULL);
        s->next = list;
        list = s;
    }
    while (list != NULL) {
        struct rt_stack *next = list->next;
        rt_stack_put(&cache, list);
        list = next;
    }
}

TEST(a_burst_is_given_back_in_proportion_to_its_size) {
    set_up(RT_GUARD_GAP);
    put_many_warm(MANY);
    ASSERT_EQ(rt_stack_count().warm, MANY);
    for (int i = 0; i < 1 + MANY_PERIODS; i++) { // the first period only counts them
        scavenge_period();
    }
    ASSERT_LE(rt_stack_count().warm, MANY / 8);
    tear_down();
}

TEST(a_slice_of_scavenging_is_short) {
    set_up(RT_GUARD_GAP);
    put_many_warm(MANY);
    rt_stack_scavenge_begin();
    rt_stack_scavenge_begin();
    size_t before;
    do {
        before = rt_stack_count().warm;
    } while (rt_stack_scavenge() == RT_SCAVENGED_SOME &&
             before - rt_stack_count().warm <= SLICE_MAX);
    ASSERT_LE(before - rt_stack_count().warm, SLICE_MAX);
    ASSERT_LE(rt_stack_count().warm, MANY - MANY / 8);
    tear_down();
}

TEST(what_is_needed_between_two_looks_stays_warm) {
    set_up(RT_GUARD_PROTECT);
    take_burst();
    give_burst();
    rt_stack_flush(&cache);
    scavenge_period();
    take_burst(); // the burst uses all of them
    give_burst();
    rt_stack_flush(&cache);
    scavenge_period();
    ASSERT(rt_stack_count().warm >= BURST);
    tear_down();
}

TEST(an_unused_slab_is_unmapped) {
    set_up(RT_GUARD_PROTECT);
    take_burst(); // more than the first slabs hold
    size_t made = rt_stack_count().made;
    give_burst();
    rt_stack_flush(&cache);
    while (scavenge_period()) {
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

/* Live stacks: more than one slab holds (the newest slab is kept), and far fewer than the
   limit of mappings. */
#define PROTECTED 8000

static struct rt_stack *protected[PROTECTED];

/* All of them have a guard of their own, for which a mapping was split. */
static void take_and_give_protected(void) {
    for (int i = 0; i < PROTECTED; i++) {
        protected[i] = rt_stack_get(&cache, LOG2);
        ASSERT(protected[i] != NULL);
        ASSERT_EQ(protected[i] -> guard, RT_GUARD_PROTECT);
    }
    for (int i = 0; i < PROTECTED; i++) {
        rt_stack_put(&cache, protected[i]);
    }
    rt_stack_flush(&cache);
}

/* In total more stacks than the limit of mappings, one burst after another. */
TEST(mappings_of_a_burst_are_had_again) {
    if (os_max_mappings() < 8L * PROTECTED) {
        SKIP("A process may have fewer mappings here than Linux allows by default.");
    }
    set_up(RT_GUARD_PROTECT);
    for (long made = 0; made <= os_max_mappings(); made += PROTECTED) {
        take_and_give_protected();
        while (scavenge_period()) {
        }
    }
    tear_down();
}

TEST(one_stack_where_many_do_not_fit) {
    set_up(RT_GUARD_PROTECT);
    test_fault_plan(OS_FAULT_RESERVE, 1, 1, ENOMEM);
    struct rt_stack *s = rt_stack_get(&cache, LOG2);
    ASSERT(s != NULL);
    ASSERT_EQ(test_fault_calls(OS_FAULT_RESERVE), 2);
    fill(s, DEEP);
    rt_stack_put(&cache, s);
    tear_down();
}
