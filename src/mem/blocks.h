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
#include <stdbool.h>

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

/* Owner of the cache. One of those at hand, or NULL. */
static inline void *rt_block_take(struct rt_block_cache *c) {
    return likely(c->count > 0) ? c->slots[--c->count] : NULL;
}

/* Owner of the cache. False: there is no room. */
static inline bool rt_block_keep(struct rt_block_cache *c, void *block) {
    if (RT_ASAN || unlikely(c->count == RT_BLOCK_CACHE_SLOTS)) {
        return false;
    }
    c->slots[c->count++] = block;
    return true;
}

/* Gives all of a cache back to the C library, which has it by and by: for who may not wait
   for that, see 'Not inside' in base/alloc.h. */
void rt_block_flush(struct rt_block_cache *c);

#endif
