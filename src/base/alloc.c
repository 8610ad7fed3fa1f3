/* SPDX-License-Identifier: MIT */
/* Allocation by the C library, with the seam for injected failure. */
#include "base/alloc.h"
#include "os/fault.h"
#include "os/os.h"

#include <stdlib.h>
#include <string.h>

void *rt_alloc(size_t bytes) {
    OS_KEEP_ERRNO;
    if (os_fault(OS_FAULT_ALLOC) != 0) {
        return NULL;
    }
    if (bytes < RT_CACHE_LINE_BYTES) {
        return calloc(1, bytes);
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
