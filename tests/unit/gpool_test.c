/* SPDX-License-Identifier: MIT */
/* Proves: descriptors are handed out once, found by number, keep their identity, and are
   reused. */
#include "test.h"
#include "fault.h"
#include "mem/gpool.h"

#include <errno.h>
#include <stdlib.h>

#define MANY 20000 /* more than two slabs hold */

static struct rt_gcache cache;

static void expect_at_its_number(struct rt_gslot *s) {
    ASSERT_NE(s->index, 0);
    ASSERT_LT(s->index, rt_gpool_end());
    ASSERT(rt_gpool_at(s->index) == s);
}

/* Takes many and returns them in a table that the caller frees. */
static struct rt_gslot **take_many(void) {
    struct rt_gslot **slots = calloc(MANY, sizeof(*slots));
    ASSERT(slots != NULL);
    for (int i = 0; i < MANY; i++) {
        slots[i] = rt_gpool_get(&cache);
        ASSERT(slots[i] != NULL);
    }
    return slots;
}

TEST(handed_out_once) {
    struct rt_gslot **slots = take_many();
    for (int i = 0; i < MANY; i++) {
        expect_at_its_number(slots[i]);
        ASSERT_EQ(rt_load_rlx(&slots[i]->state), 0); // not handed out before
        rt_store_rlx(&slots[i]->state, 1);
    }
    free(slots);
    rt_gpool_flush(&cache);
    rt_gpool_free_all();
}

/* The numbers, and so the memory that reports walk, grow with the maximum alive, not with
   the total. */
TEST(reused) {
    struct rt_gslot **slots = take_many();
    uint32_t end = rt_gpool_end();
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < MANY; i++) {
            rt_gpool_put(&cache, slots[i]);
            ASSERT_LE(cache.count, RT_GCACHE_SLOTS);
        }
        free(slots);
        slots = take_many();
        ASSERT_EQ(rt_gpool_end(), end);
    }
    for (int i = 0; i < MANY; i++) {
        expect_at_its_number(slots[i]);
    }
    free(slots);
    rt_gpool_flush(&cache);
    rt_gpool_free_all();
}

TEST(shared_list) {
    struct rt_gslot *a = rt_gpool_get_shared();
    struct rt_gslot *b = rt_gpool_get_shared();
    ASSERT(a != b);
    rt_gpool_put_shared(a);
    ASSERT(rt_gpool_get_shared() == a);
    rt_gpool_put(&cache, b);
    ASSERT_EQ(cache.count, 1);
    rt_gpool_flush(&cache);
    ASSERT_EQ(cache.count, 0);
    ASSERT(rt_gpool_get_shared() == b);
    rt_gpool_free_all();
    ASSERT_EQ(rt_gpool_end(), 1);
}

TEST(no_memory) {
    test_fault_plan(OS_FAULT_RESERVE, 1, 1, ENOMEM);
    ASSERT(rt_gpool_get(&cache) == NULL);
    ASSERT_EQ(cache.count, 0);
    ASSERT(rt_gpool_get(&cache) != NULL);
    test_fault_clear();
    rt_gpool_flush(&cache);
    rt_gpool_free_all();
}

#define THREADS 4
#define TURNS   TEST_SIZE(2000, 200)
#define HAND    100

/* If two threads held a slot at once, one would see the other's mark. */
static void take_and_put(void *arg) {
    struct rt_gcache mine = {.count = 0};
    struct rt_gslot *hand[HAND];
    uint32_t mark = (uint32_t)atomic_fetch_add((atomic_int *)arg, 1) + 1;
    for (int turn = 0; turn < TURNS; turn++) {
        for (int i = 0; i < HAND; i++) {
            hand[i] = rt_gpool_get(&mine);
            rt_store_rlx(&hand[i]->state, mark);
        }
        for (int i = 0; i < HAND; i++) {
            ASSERT_EQ(rt_load_rlx(&hand[i]->state), mark);
            rt_gpool_put(&mine, hand[i]);
        }
    }
    rt_gpool_flush(&mine);
}

TEST(several_threads) {
    atomic_int marks = 0;
    test_threads_run(THREADS, take_and_put, &marks);
    ASSERT_LE(rt_gpool_end(), THREADS * (HAND + RT_GCACHE_SLOTS) + 1);
    rt_gpool_free_all();
}
