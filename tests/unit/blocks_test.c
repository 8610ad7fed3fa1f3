/* SPDX-License-Identifier: MIT */
/* Proves: a freed block is reused, the last freed first, and the cache keeps no more
   blocks than it has room for. */
#include "test.h"
#include "mem/blocks.h"

static struct rt_block_cache cache;

TEST(comes_back_last_in_first_out) {
    ASSERT(rt_block_take(&cache) == NULL);
    void *a = rt_block_make();
    void *b = rt_block_make();
    ASSERT(a != NULL && b != NULL);
    ASSERT_EQ((uintptr_t)a % RT_CACHE_LINE_BYTES, 0u);
    bool kept = rt_block_keep(&cache, a) && rt_block_keep(&cache, b);
    ASSERT_EQ(kept, !RT_ASAN); /* the sanitizer must see each block freed */
    if (kept) {
        ASSERT(rt_block_take(&cache) == b);
        ASSERT(rt_block_take(&cache) == a);
    }
    rt_block_free(a);
    rt_block_free(b);
}

TEST(keeps_no_more_than_its_slots) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < RT_BLOCK_CACHE_SLOTS + 10; i++) {
        void *block = rt_block_make();
        ASSERT(block != NULL);
        if (rt_block_keep(&cache, block)) {
            kept++;
        } else {
            rt_block_free(block);
        }
    }
    ASSERT_EQ(kept, RT_ASAN ? 0u : RT_BLOCK_CACHE_SLOTS);
    ASSERT_EQ(cache.count, kept);
    rt_block_flush(&cache);
    ASSERT_EQ(cache.count, 0u);
}
