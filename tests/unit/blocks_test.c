/* SPDX-License-Identifier: MIT */
/* Proves: a block that is given back comes out again, the warmest first, and no more are
   kept than there is room for. */
#include "test.h"
#include "mem/blocks.h"

static struct rt_block_cache cache;

TEST(comes_back_last_in_first_out) {
    void *a = rt_block_get(&cache);
    void *b = rt_block_get(&cache);
    ASSERT(a != NULL && b != NULL);
    rt_block_put(&cache, a);
    rt_block_put(&cache, b);
    if (RT_ASAN) {
        ASSERT_EQ(cache.count, 0u); /* the sanitizer sees the end of each */
        return;
    }
    ASSERT_EQ(cache.count, 2u);
    ASSERT(rt_block_get(&cache) == b);
    ASSERT(rt_block_get(&cache) == a);
    ASSERT_EQ((uintptr_t)a % RT_CACHE_LINE_BYTES, 0u);
    rt_block_free(a);
    rt_block_free(b);
}

TEST(keeps_no_more_than_its_slots) {
    enum { BLOCKS = RT_BLOCK_CACHE_SLOTS + 10 };
    void *blocks[BLOCKS];
    for (int i = 0; i < BLOCKS; i++) {
        blocks[i] = rt_block_get(&cache);
        ASSERT(blocks[i] != NULL);
    }
    for (int i = 0; i < BLOCKS; i++) {
        rt_block_put(&cache, blocks[i]);
    }
    ASSERT_EQ(cache.count, RT_ASAN ? 0u : RT_BLOCK_CACHE_SLOTS);
    rt_block_flush(&cache);
    ASSERT_EQ(cache.count, 0u);
}
