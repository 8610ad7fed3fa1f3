/* SPDX-License-Identifier: MIT */
/* Small pieces of memory at hand: what programs make and drop all the time, channels
   above all. */
#ifndef RT_MEM_BLOCKS_H
#define RT_MEM_BLOCKS_H

/*
 * The C library keeps a handful of freed blocks of each size per thread; a program that
 * makes a channel for each answer it waits for has more of them on the move than that.
 * So each P keeps some, of one size, in front of rt_alloc_raw() and rt_free(). A block may
 * be given back by another P, by a foreign thread, or after the runtime has ended. Under
 * the address sanitizer there is no cache: it has to see the end of each.
 *
 * A block begins with a cache line, which the C library does not promise: it is cut out of
 * a larger piece, whose address is kept behind what the user has of it.
 */
#include "base/compiler.h"

/* Two cache lines, together with the address. */
#define RT_BLOCK_BYTES (2 * RT_CACHE_LINE_BYTES - sizeof(void *))

#define RT_BLOCK_CACHE_SLOTS 64u

/* Blocks at hand, the warmest last. Owner P only. */
struct rt_block_cache {
    uint32_t count;
    void *slots[RT_BLOCK_CACHE_SLOTS];
};

/* RT_BLOCK_BYTES with anything in them; NULL: no memory. Any thread. */
void *rt_block_make(void) RT_NODISCARD;
void rt_block_free(void *block);

/* The same for the owner of the cache. */

static inline void *rt_block_get(struct rt_block_cache *c) {
    if (unlikely(c->count == 0)) {
        return rt_block_make();
    }
    return c->slots[--c->count];
}

static inline void rt_block_put(struct rt_block_cache *c, void *block) {
    if (RT_ASAN || unlikely(c->count == RT_BLOCK_CACHE_SLOTS)) {
        rt_block_free(block);
        return;
    }
    c->slots[c->count++] = block;
}

/* Gives all of a cache back to the C library. */
void rt_block_flush(struct rt_block_cache *c);

#endif
