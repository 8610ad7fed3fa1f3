/* SPDX-License-Identifier: MIT */
/* Memory of the runtime's own, by one way, so that tests can make it fail and count
   it. */
#ifndef RT_BASE_ALLOC_H
#define RT_BASE_ALLOC_H

#include "base/compiler.h"

/* Zeroed memory, aligned to a cache line if it is at least one; NULL if there is none. */
void *rt_alloc(size_t bytes) RT_NODISCARD;

/* NULL is allowed. */
void rt_free(void *memory);

#endif
