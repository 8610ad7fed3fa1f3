/* SPDX-License-Identifier: MIT */
/* Memory of goroutine descriptors: handed out, taken back, numbered, never unmapped while
   the runtime runs. */
#ifndef RT_MEM_GPOOL_H
#define RT_MEM_GPOOL_H

/*
 * The rule: memory that once was a descriptor stays one until rt_gpool_free_all(). So a
 * stale pointer, or a futex wake that comes late, meets a descriptor, perhaps of another
 * goroutine, and never something else; and reports can walk all of them by number while
 * goroutines come and go.
 *
 * Slots live in slabs, found by number through a fixed table. Free ones are in a small
 * array per P, which only its owner touches, and behind it in one shared list under a
 * lock. What lies in the shared list is bundles: the spare bytes of one free slot hold
 * the addresses of the others, so that taking a bundle touches one slot instead of
 * chasing a link through each of them, and the P can prefetch the rest.
 */
#include "base/atomic.h"
#include "base/compiler.h"
#include <stdbool.h>
#include <stdint.h>

#define RT_GSLOT_BYTES 256

/* These bytes of a free slot are the pool's; all others are as its last user left
   them. */
#define RT_GSLOT_SPARE_OFFSET 160
#define RT_GSLOT_SPARE_BYTES  (RT_GSLOT_BYTES - RT_GSLOT_SPARE_OFFSET)

/* The beginning of every descriptor. */
struct rt_gslot {
    /* link of the one list that the descriptor is in; its owner's */
    struct rt_gslot *next;
    uint32_t index; /* immutable once handed out; never 0 */

    /* Atomic: the state of what the slot is used for. Never touched here, so that whoever
       walks the slots by number can tell the free ones. */
    rt_atomic(uint32_t) state;
};

#define RT_GCACHE_SLOTS 64

/* Free slots at hand, the warmest last. Owner P only. */
struct rt_gcache {
    uint32_t count;
    struct rt_gslot *slots[RT_GCACHE_SLOTS];
};

bool rt_gpool_refill(struct rt_gcache *c);
void rt_gpool_spill(struct rt_gcache *c);

/* A slot, its contents as rt_gpool_put() left them or zero; NULL: no memory. */
static inline struct rt_gslot *rt_gpool_get(struct rt_gcache *c) {
    if (unlikely(c->count == 0) && !rt_gpool_refill(c)) {
        return NULL;
    }
    struct rt_gslot *s = c->slots[--c->count];
    if (likely(c->count > 0)) {
        /* Two lines, to be written: the next spawn finds them here instead of in memory
           or another core. */
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

/* The same for threads without a P. */
struct rt_gslot *rt_gpool_get_shared(void);
void rt_gpool_put_shared(struct rt_gslot *s);

/* Moves all of a cache to the shared list. */
void rt_gpool_flush(struct rt_gcache *c);

/* The slot with that number, which must have been handed out before. */
struct rt_gslot *rt_gpool_at(uint32_t index);

/* All numbers handed out so far are below this. */
uint32_t rt_gpool_end(void);

/* Gives all memory back. Nobody holds a slot. */
void rt_gpool_free_all(void);

#endif
