/* SPDX-License-Identifier: MIT */
/* A per-P cache of small memory blocks, mainly for channels. */
#ifndef RT_MEM_BLOCKS_H
#define RT_MEM_BLOCKS_H

/*
 * The C library caches only a few freed blocks of each size per thread. A program that
 * makes a channel for each answer it waits for needs more. So each P caches blocks of one
 * size in front of rt_alloc_raw() and rt_free(). A block may be freed by another P, by a
 * foreign thread, or after the runtime has ended. Under the address sanitizer there is no
 * cache, because the sanitizer has to see each free.
 *
 * A block is aligned to a cache line, which the C library does not guarantee. So it is cut
 * out of a larger piece, whose address is stored behind the user's bytes.
 */
#include "base/compiler.h"
#include <stdbool.h>

/* Two cache lines, less the address of the piece. */
#define RT_BLOCK_BYTES (2 * RT_CACHE_LINE_BYTES - sizeof(void *))

#define RT_BLOCK_CACHE_SLOTS 64u

/* Cached blocks, the most recently freed last. Owner P only. */
struct rt_block_cache {
    uint32_t count;
    void *slots[RT_BLOCK_CACHE_SLOTS];
};

/* Returns RT_BLOCK_BYTES of uninitialized memory; NULL: no memory. Any thread, outside. */
void *rt_block_make(void) RT_NODISCARD;
void rt_block_free(void *block);

/* Owner of the cache. Returns a cached block, or NULL. */
static inline void *rt_block_take(struct rt_block_cache *c) {
    return likely(c->count > 0) ? c->slots[--c->count] : NULL;
}

/* Owner of the cache. Returns false if there is no room. */
static inline bool rt_block_keep(struct rt_block_cache *c, void *block) {
    if (RT_ASAN || unlikely(c->count == RT_BLOCK_CACHE_SLOTS)) {
        return false;
    }
    c->slots[c->count++] = block;
    return true;
}

/* Frees all blocks of a cache by rt_free_later(), so it may be called inside: see 'Not
   inside' in base/alloc.h. */
void rt_block_flush(struct rt_block_cache *c);

#endif
