/* SPDX-License-Identifier: MIT */
/* Allocation from the C library, with the hook for injected failures. */
#include "base/alloc.h"
#include "base/atomic.h"
#include "base/race.h"
#include "os/fault.h"
#include "os/os.h"

#include <stdlib.h>
#include <string.h>

/* Blocks of at least this size use calloc(): the kernel supplies zeroed pages, which cost
   nothing until they are touched. */
#define LARGE_BYTES ((size_t)128 * 1024)

struct listed {
    struct listed *next;
};

/* Atomic. Any thread pushes. The list is only ever taken as a whole, so there is no ABA
   problem. */
static rt_atomic(struct listed *) to_free;

/* Calls into the C library, hidden from ThreadSanitizer: see race.h. */

static inline void *get(size_t bytes) {
    rt_race_ignore_begin();
    void *memory = malloc(bytes);
    rt_race_ignore_end();
    return memory;
}

static inline void *get_zeroed(size_t bytes) {
    rt_race_ignore_begin();
    void *memory = calloc(1, bytes);
    rt_race_ignore_end();
    return memory;
}

static inline void *get_lines(size_t bytes) {
    rt_race_ignore_begin();
    void *memory = aligned_alloc(RT_CACHE_LINE_BYTES, bytes);
    rt_race_ignore_end();
    return memory;
}

static inline void memory_free(void *memory) {
    rt_race_ignore_begin();
    free(memory);
    rt_race_ignore_end();
}

void rt_free_later(void *memory) {
    struct listed *l = memory;
    struct listed *first = rt_load_rlx(&to_free); /* relaxed: the CAS below decides */
    do {
        l->next = first;
        /* release: publishes the link and the last writes to the memory. Pairs with the
           swap in free_list(). */
    } while (!rt_cas_acqrel(&to_free, &first, l));
}

static RT_NOINLINE void free_list(void) {
    /* acquire: pairs with the CAS in rt_free_later(). */
    struct listed *l = rt_swap_acqrel(&to_free, NULL);
    while (l != NULL) {
        struct listed *next = l->next;
        os_fault(OS_FAULT_FREE);
        memory_free(l);
        l = next;
    }
}

void rt_free_listed(void) {
    /* relaxed: a hint; a push that this load misses is freed by the next call. */
    if (unlikely(rt_load_rlx(&to_free) != NULL)) {
        free_list();
    }
}

/* Small blocks come from malloc() and memset(): the C library serves malloc() from its
   per-thread cache, but not calloc(). The asm keeps the compiler from merging the two
   calls into calloc(). */
void *rt_alloc(size_t bytes) {
    OS_KEEP_ERRNO;
    rt_free_listed();
    if (os_fault(OS_FAULT_ALLOC) != 0) {
        return NULL;
    }
    if (bytes >= LARGE_BYTES) {
        return get_zeroed(bytes);
    }
    void *memory = get(bytes);
    __asm__("" : "+r"(memory));
    if (memory != NULL) {
        memset(memory, 0, bytes);
    }
    return memory;
}

void *rt_alloc_raw(size_t bytes) {
    OS_KEEP_ERRNO;
    rt_free_listed();
    if (os_fault(OS_FAULT_ALLOC) != 0) {
        return NULL;
    }
    return get(bytes);
}

void *rt_alloc_lines(size_t bytes) {
    OS_KEEP_ERRNO;
    rt_free_listed();
    if (os_fault(OS_FAULT_ALLOC) != 0) {
        return NULL;
    }
    size_t rounded =
        (bytes + RT_CACHE_LINE_BYTES - 1) & ~(size_t)(RT_CACHE_LINE_BYTES - 1);
    void *memory = get_lines(rounded);
    if (memory != NULL) {
        memset(memory, 0, rounded);
    }
    return memory;
}

void rt_free(void *memory) {
    rt_free_listed();
    if (memory != NULL) {
        os_fault(OS_FAULT_FREE);
    }
    memory_free(memory);
}
