/* SPDX-License-Identifier: MIT */
/* Replaces src/base/alloc.c in the simulation: poisons freed memory and does not reuse it
   in the run. */
#include "base/alloc.h"
#include "machine.h"
#include "os/fault.h"

#include <stdlib.h>
#include <string.h>

#define SPOILT 0xdd

/* Precedes each block; as large as the block's alignment. */
struct header {
    size_t bytes;
    char unused[RT_CACHE_LINE_BYTES - sizeof(size_t)];
};

static void *alloc_filled(size_t bytes, int with) {
    if (os_fault(OS_FAULT_ALLOC) != 0) {
        return NULL;
    }
    size_t rounded =
        (bytes + RT_CACHE_LINE_BYTES - 1) & ~(size_t)(RT_CACHE_LINE_BYTES - 1);
    struct header *h = aligned_alloc(RT_CACHE_LINE_BYTES, sizeof *h + rounded);
    if (h == NULL) {
        return NULL;
    }
    h->bytes = rounded;
    return memset(h + 1, with, rounded);
}

void *rt_alloc(size_t bytes) {
    return alloc_filled(bytes, 0);
}

void *rt_alloc_raw(size_t bytes) {
    return alloc_filled(bytes, SPOILT);
}

void *rt_alloc_lines(size_t bytes) {
    return rt_alloc(bytes);
}

void rt_free(void *memory) {
    if (memory == NULL) {
        return;
    }
    struct header *h = (struct header *)memory - 1;
    sim_memory_gone(memory, h->bytes);
    memset(memory, SPOILT, h->bytes);
}

/* Frees at once, to find a later use sooner. */
void rt_free_later(void *memory) {
    rt_free(memory);
}

void rt_free_listed(void) {
}
