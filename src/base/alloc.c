/* SPDX-License-Identifier: MIT */
/* Allocation by the C library, with the seam for injected failure. */
#include "base/alloc.h"
#include "base/atomic.h"
#include "os/fault.h"
#include "os/os.h"

#include <stdlib.h>
#include <string.h>

/* Pieces of this size come from the kernel, as zeroes that cost nothing until they are
   touched. */
#define LARGE_BYTES ((size_t)128 * 1024)

struct listed {
    struct listed *next;
};

/* Atomic: pushed to by anybody, and only taken as a whole, so that no element can come
   back unnoticed between a look and a change. */
static rt_atomic(struct listed *) to_free;

void rt_free_later(void *memory) {
    struct listed *l = memory;
    struct listed *first = rt_load_rlx(&to_free); /* relaxed: the change decides */
    do {
        l->next = first;
        /* release: publishes the link, and all that was done with the memory. Pairs with
           free_list(). */
    } while (!rt_cas_acqrel(&to_free, &first, l));
}

static RT_NOINLINE void free_list(void) {
    /* acquire: pairs with rt_free_later(). */
    struct listed *l = rt_swap_acqrel(&to_free, NULL);
    while (l != NULL) {
        struct listed *next = l->next;
        os_fault(OS_FAULT_FREE);
        free(l);
        l = next;
    }
}

void rt_free_listed(void) {
    /* relaxed: a hint; who pushes in this moment is served by the next. */
    if (unlikely(rt_load_rlx(&to_free) != NULL)) {
        free_list();
    }
}

/* Small pieces by malloc and not by calloc: the C library keeps freed blocks at hand for
   the former only. The compiler, which would make one of the two calls, is not to see that
   they belong together. */
void *rt_alloc(size_t bytes) {
    OS_KEEP_ERRNO;
    rt_free_listed();
    if (os_fault(OS_FAULT_ALLOC) != 0) {
        return NULL;
    }
    if (bytes >= LARGE_BYTES) {
        return calloc(1, bytes);
    }
    void *memory = malloc(bytes);
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
    return malloc(bytes);
}

void *rt_alloc_lines(size_t bytes) {
    OS_KEEP_ERRNO;
    rt_free_listed();
    if (os_fault(OS_FAULT_ALLOC) != 0) {
        return NULL;
    }
    size_t rounded =
        (bytes + RT_CACHE_LINE_BYTES - 1) & ~(size_t)(RT_CACHE_LINE_BYTES - 1);
    void *memory = aligned_alloc(RT_CACHE_LINE_BYTES, rounded);
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
    free(memory);
}
