/* SPDX-License-Identifier: MIT */
/* Allocation by the C library, with the seam for injected failure. */
#include "base/alloc.h"
#include "os/fault.h"
#include "os/os.h"

#include <stdlib.h>
#include <string.h>

/* Pieces of this size come from the kernel, as zeroes that cost nothing until they are
   touched. */
#define LARGE_BYTES ((size_t)128 * 1024)

/* Small pieces by malloc and not by calloc: the C library keeps freed blocks at hand for
   the former only. The compiler, which would make one of the two calls, is not to see that
   they belong together. */
void *rt_alloc(size_t bytes) {
    OS_KEEP_ERRNO;
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
    if (os_fault(OS_FAULT_ALLOC) != 0) {
        return NULL;
    }
    return malloc(bytes);
}

void *rt_alloc_lines(size_t bytes) {
    OS_KEEP_ERRNO;
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
    if (memory != NULL) {
        os_fault(OS_FAULT_FREE);
    }
    free(memory);
}
