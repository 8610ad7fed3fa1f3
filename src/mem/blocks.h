/* SPDX-License-Identifier: MIT */
/* Small pieces of memory at hand: what programs make and drop all the time, channels
   above all. */
#ifndef RT_MEM_BLOCKS_H
#define RT_MEM_BLOCKS_H

/*
 * The C library keeps a handful of freed blocks of each size per thread; a program that
 * makes a channel for each answer it waits for has more of them on the move than that.
 * So each P keeps some, of one size, in front of rt_alloc_raw() and rt_free(). A block is
 * an ordinary piece of memory: it may be given back by another P, by a foreign thread, or
 * after the runtime has ended. Under the address sanitizer there is no cache: it has to
 * see the end of each.
 */
#include "base/alloc.h"
#include "base/compiler.h"

/* Fills two cache lines together with what the C library needs for itself. */
#define RT_BLOCK_BYTES 120

#define RT_BLOCK_CACHE_SLOTS 64u

/* Blocks at hand, the warmest last. Owner P only. */
struct rt_block_cache {
    uint32_t count;
    void *slots[RT_BLOCK_CACHE_SLOTS];
};

/* RT_BLOCK_BYTES with anything in them; NULL: no memory. */
static inline void *rt_block_get(struct rt_block_cache *c) {
    if (unlikely(c->count == 0)) {
        return rt_alloc_raw(RT_BLOCK_BYTES);
    }
    return c->slots[--c->count];
}

static inline void rt_block_put(struct rt_block_cache *c, void *block) {
    if (RT_ASAN || unlikely(c->count == RT_BLOCK_CACHE_SLOTS)) {
        rt_free(block);
        return;
    }
    c->slots[c->count++] = block;
}

/* Gives all of a cache back to the C library. */
static inline void rt_block_flush(struct rt_block_cache *c) {
    while (c->count > 0) {
        rt_free(c->slots[--c->count]);
    }
}

#endif
