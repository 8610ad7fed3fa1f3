/* SPDX-License-Identifier: MIT */
/* Stacks of goroutines: reserved large, committed as they are used, guarded, cached,
   given back. */
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

/* How an overflow is noticed. */
enum rt_stack_guard {
    RT_GUARD_ADVISE,  /* guard markers in the page table: no mapping each (Linux 6.13) */
    RT_GUARD_PROTECT, /* pages without access while the mappings last, then as below */
    RT_GUARD_GAP,     /* an unused page, looked at when the goroutine has ended */
};

/* The descriptor of one stack. It lives beside the stack, not in it, so that a free stack
   needs no memory. */
struct rt_stack {
    struct rt_stack *next; /* link of the depot's list, or of a batch; the holder's */
    struct rt_slab *slab;  /* immutable: where it was carved from */
    char *low;             /* immutable: first byte of the guard */
    /* immutable: where the first frame goes; below the end, see 'Colours' */
    void *top;
    uint8_t size_log2; /* immutable */
    uint8_t guard;     /* enum rt_stack_guard, of this stack; set when it is carved */
    /* the holder's: the period in which it was last trimmed, see 'Bursts' in stack.c */
    uint32_t trimmed;
    uint32_t valgrind_id; /* the holder's */
};

static inline size_t rt_stack_bytes(const struct rt_stack *s) {
    return (size_t)1 << s->size_log2;
}

#define RT_STACK_CACHE_SLOTS 32

/* Stacks of the default size at hand, the warmest last. Owner P only. */
struct rt_stack_cache {
    struct rt_stack *slots[RT_STACK_CACHE_SLOTS];
    uint32_t count;
    uint32_t refill; /* how many the next refill asks for: doubles while bursts last */
};

struct rt_stack *rt_stack_get_slow(struct rt_stack_cache *c, unsigned size_log2);
void rt_stack_put_slow(struct rt_stack_cache *c, struct rt_stack *s);

/* The size that the caches hold, as a power of two. Written while no goroutine exists. */
extern unsigned rt_stack_cached_log2;

/* A stack of that size; NULL: no memory. */
static inline struct rt_stack *rt_stack_get(struct rt_stack_cache *c,
                                            unsigned size_log2) {
    if (likely(size_log2 == rt_stack_cached_log2 && c->count > 0)) {
        struct rt_stack *s = c->slots[--c->count];
        if (likely(c->count > 1)) {
            /* For the next one: its first frame, to be written. For the one after: where
               that is. */
            __builtin_prefetch((char *)c->slots[c->count - 1]->top - RT_CACHE_LINE_BYTES,
                               1);
            __builtin_prefetch(c->slots[c->count - 2]);
        }
        return s;
    }
    return rt_stack_get_slow(c, size_log2);
}

/* Takes back a stack that nothing runs on any more. */
static inline void rt_stack_put(struct rt_stack_cache *c, struct rt_stack *s) {
    if (likely(s->size_log2 == rt_stack_cached_log2 && s->guard != RT_GUARD_GAP &&
               c->count < RT_STACK_CACHE_SLOTS)) {
        c->slots[c->count++] = s;
        return;
    }
    rt_stack_put_slow(c, s);
}

/* True if address lies in the guard of s. */
static inline bool rt_stack_guard_hit(const struct rt_stack *s, const void *address) {
    return (uintptr_t)address - (uintptr_t)s->low < RT_STACK_GUARD_BYTES;
}

/* Moves a cache to the depot. */
void rt_stack_flush(struct rt_stack_cache *c);

/* Sets up for stacks of that default size, guarded in that way. */
void rt_stack_configure(unsigned cached_log2, enum rt_stack_guard guard);

/* A large burst is under way, and another thread could help by making stacks ahead: see
   'Bursts' in stack.c. */
bool rt_stack_wants_help(void);

/* Makes some stacks ahead. False: no more are wanted for now. */
bool rt_stack_help(void);

/* Gives memory of stacks back that nobody has needed since the call before. Returns true
   if there is more to give back later, so that the caller knows to come again. */
bool rt_stack_scavenge(void);

/* Gives all back. Nobody holds a stack. */
void rt_stack_free_all(void);

/* For tests: stacks in the depot whose memory is resident, and those that exist. */
struct rt_stack_counts {
    size_t made;
    size_t warm;
    size_t cold;
};
struct rt_stack_counts rt_stack_count(void);

#endif
