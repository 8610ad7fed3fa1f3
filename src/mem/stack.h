/* SPDX-License-Identifier: MIT */
/* Goroutine stacks: reserved at full size, committed on use, guarded, cached, and returned
   to the kernel. */
#ifndef RT_MEM_STACK_H
#define RT_MEM_STACK_H

#include "base/compiler.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Sizes are powers of two. */
#define RT_STACK_MIN_LOG2     14 /* 16 KiB */
#define RT_STACK_MAX_LOG2     36 /* 64 GiB */
#define RT_STACK_DEFAULT_LOG2 18 /* 256 KiB */

/* The lowest page of every stack is its guard. */
#define RT_STACK_GUARD_BYTES ((size_t)4096)

struct rt_slab;

/* How an overflow is detected. */
enum rt_stack_guard {
    RT_GUARD_ADVISE,  /* guard markers in the page table, no mapping each (Linux 6.13) */
    RT_GUARD_PROTECT, /* PROT_NONE pages while mappings are left, then RT_GUARD_GAP */
    RT_GUARD_GAP,     /* an unused page, checked after the goroutine has ended */
};

/* The descriptor of one stack. It lies beside the stack, so that a free stack needs no
   memory. */
struct rt_stack {
    /* Owner: the thread that holds the stack, or the depot's lock. */
    struct rt_stack *next; /* in a list of the depot, or in a batch */

    /* Immutable. */
    struct rt_slab *slab; /* the slab that contains it */
    char *low;            /* first byte of the guard */
    void *top;            /* start of the first frame; below the end, see 'Colours' */
    uint8_t size_log2;
    uint8_t guard; /* enum rt_stack_guard; set when it is carved */

    /* Owner: the thread that holds the stack. */
    uint32_t trimmed; /* the period of the last trim: see 'Bursts' in stack.c */
    uint32_t valgrind_id;
};

static inline size_t rt_stack_bytes(const struct rt_stack *s) {
    return (size_t)1 << s->size_log2;
}

/* The lowest byte that a frame may use. */
static inline char *rt_stack_usable(const struct rt_stack *s) {
    return s->low + RT_STACK_GUARD_BYTES;
}

#define RT_STACK_CACHE_SLOTS 32

/* Cached stacks of the default size, the most recently used last. Owner P only. */
struct rt_stack_cache {
    struct rt_stack *slots[RT_STACK_CACHE_SLOTS];
    uint32_t count;
    uint32_t refill; /* size of the next refill; doubles during a burst */
};

struct rt_stack *rt_stack_get_slow(struct rt_stack_cache *c, unsigned size_log2);
void rt_stack_put_slow(struct rt_stack_cache *c, struct rt_stack *s);

/* The size that the caches hold, as a power of two. Immutable while goroutines exist. */
RT_EXTERN unsigned rt_stack_cached_log2;

/* Returns a stack of that size; NULL: no memory. Owner of the cache. */
static inline struct rt_stack *rt_stack_get(struct rt_stack_cache *c,
                                            unsigned size_log2) {
    if (likely(size_log2 == rt_stack_cached_log2 && c->count > 0)) {
        struct rt_stack *s = c->slots[--c->count];
        if (likely(c->count > 1)) {
            /* The first frame of the next stack, for writing, and the descriptor of the
               one after it. */
            __builtin_prefetch((char *)c->slots[c->count - 1]->top - RT_CACHE_LINE_BYTES,
                               1);
            __builtin_prefetch(c->slots[c->count - 2]);
        }
        return s;
    }
    return rt_stack_get_slow(c, size_log2);
}

/* Frees a stack that no goroutine runs on any more. Owner of the cache. */
static inline void rt_stack_put(struct rt_stack_cache *c, struct rt_stack *s) {
    if (likely(s->size_log2 == rt_stack_cached_log2 && s->guard != RT_GUARD_GAP &&
               c->count < RT_STACK_CACHE_SLOTS)) {
        c->slots[c->count++] = s;
        return;
    }
    rt_stack_put_slow(c, s);
}

/* Whether address lies in the guard of s. */
static inline bool rt_stack_guard_hit(const struct rt_stack *s, const void *address) {
    return (uintptr_t)address - (uintptr_t)s->low < RT_STACK_GUARD_BYTES;
}

/* Moves a cache to the depot. */
void rt_stack_flush(struct rt_stack_cache *c);

/* Sets the default size and the kind of guard. No goroutine exists yet. */
void rt_stack_configure(unsigned cached_log2, enum rt_stack_guard guard);

/* Whether a large burst is in progress, so that sysmon should make stacks ahead: see
   'Bursts' in stack.c. */
bool rt_stack_wants_help(void);

/* Makes some stacks ahead. Returns false if no more are wanted or can be made now. */
bool rt_stack_help(void);

/* What is left to return to the kernel. */
enum rt_scavenged {
    RT_SCAVENGED_ALL,     /* nothing */
    RT_SCAVENGED_FOR_NOW, /* stacks that may be due in a later period */
    RT_SCAVENGED_SOME,    /* stacks that are due in this period */
};

/* Begins a period. Part of the stacks that were not needed in the previous one become due:
   see 'Giving back' in stack.c. */
void rt_stack_scavenge_begin(void);

/* Returns the memory of some due stacks to the kernel; takes less than a millisecond. */
enum rt_scavenged rt_stack_scavenge(void);

/* Unmaps all stacks. None may be in use. */
void rt_stack_free_all(void);

/* For tests: all stacks, and those in the depot with and without resident memory. */
struct rt_stack_counts {
    size_t made;
    size_t warm;
    size_t cold;
};
struct rt_stack_counts rt_stack_count(void);

#endif
