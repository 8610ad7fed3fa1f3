/* SPDX-License-Identifier: MIT */
/* The pool of goroutine descriptors: numbered slots that are never unmapped while the
   runtime runs. */
#ifndef RT_MEM_GPOOL_H
#define RT_MEM_GPOOL_H

/*
 * The rule: memory that once was a descriptor stays one until rt_gpool_free_all(). So a
 * stale pointer or a late futex wake always finds a descriptor, perhaps of another
 * goroutine. And reports can walk all descriptors by number while goroutines come and go.
 *
 * Slots live in slabs, which a fixed table finds by number. Each P caches free slots in a
 * small array that only its owner touches. The others are in one shared list under a lock.
 * The elements of that list are bundles: the spare bytes of one free slot hold the
 * addresses of the others. So taking a bundle touches one slot instead of following a link
 * through each, and the P can prefetch the rest.
 */
#include "base/atomic.h"
#include "base/compiler.h"
#include <stdbool.h>
#include <stdint.h>

#define RT_GSLOT_BYTES 256

/* The pool uses these bytes of a free slot. The others keep what the last user stored. */
#define RT_GSLOT_SPARE_OFFSET 160
#define RT_GSLOT_SPARE_BYTES  (RT_GSLOT_BYTES - RT_GSLOT_SPARE_OFFSET)

/* The beginning of every descriptor. */
struct rt_gslot {
    /* Owner of the list that the descriptor is in. */
    struct rt_gslot *next;
    /* Immutable once the slot was first returned; never 0. */
    uint32_t index;

    /* Atomic: the state of the goroutine. The pool never touches it, so that a walk by
       number can recognize free slots. */
    rt_atomic(uint32_t) state;
};

#define RT_GCACHE_SLOTS 64

/* Cached free slots, the most recently freed last. Owner P only. */
struct rt_gcache {
    uint32_t count;
    struct rt_gslot *slots[RT_GCACHE_SLOTS];
};

bool rt_gpool_refill(struct rt_gcache *c);
void rt_gpool_spill(struct rt_gcache *c);

/* Returns a slot, zeroed or, except for the spare bytes, as it was at rt_gpool_put();
   NULL: no memory. Owner of the cache. */
static inline struct rt_gslot *rt_gpool_get(struct rt_gcache *c) {
    if (unlikely(c->count == 0) && !rt_gpool_refill(c)) {
        return NULL;
    }
    struct rt_gslot *s = c->slots[--c->count];
    if (likely(c->count > 0)) {
        /* Two lines, for writing: the next spawn finds them in this core's cache. */
        __builtin_prefetch(c->slots[c->count - 1], 1);
        __builtin_prefetch((char *)c->slots[c->count - 1] + RT_CACHE_LINE_BYTES, 1);
    }
    return s;
}

static inline void rt_gpool_put(struct rt_gcache *c, struct rt_gslot *s) {
    if (unlikely(c->count == RT_GCACHE_SLOTS)) {
        rt_gpool_spill(c);
    }
    c->slots[c->count++] = s;
}

/* rt_gpool_get() and rt_gpool_put() for threads without a P. */
struct rt_gslot *rt_gpool_get_shared(void);
void rt_gpool_put_shared(struct rt_gslot *s);

/* Moves all of a cache to the shared list. */
void rt_gpool_flush(struct rt_gcache *c);

/* Returns the slot with that number, which must be below rt_gpool_end(). */
struct rt_gslot *rt_gpool_at(uint32_t index);

/* All numbers in use are below this. */
uint32_t rt_gpool_end(void);

/* Unmaps all slots. None may be in use. */
void rt_gpool_free_all(void);

#endif
