/* SPDX-License-Identifier: MIT */
/* Allocation of small memory blocks that begin on a cache line. */
#include "mem/blocks.h"
#include "base/alloc.h"

/* The alignment of malloc. */
#define PIECE_ALIGN 16

#define PIECE_BYTES (2 * RT_CACHE_LINE_BYTES + RT_CACHE_LINE_BYTES - PIECE_ALIGN)

struct block {
    char user[RT_BLOCK_BYTES];
    void *piece; /* the allocation that contains the block */
};

_Static_assert(sizeof(struct block) == (size_t)2 * RT_CACHE_LINE_BYTES, "two lines");

void *rt_block_make(void) {
    void *piece = rt_alloc_raw(PIECE_BYTES);
    if (piece == NULL) {
        return NULL;
    }
    uintptr_t up = -(uintptr_t)piece & (RT_CACHE_LINE_BYTES - 1);
    struct block *b = (struct block *)((char *)piece + up);
    b->piece = piece;
    return b;
}

void rt_block_free(void *block) {
    rt_free(((struct block *)block)->piece);
}

void rt_block_flush(struct rt_block_cache *c) {
    while (c->count > 0) {
        rt_free_later(((struct block *)c->slots[--c->count])->piece);
    }
}
