/* SPDX-License-Identifier: MIT */
/* Memory of the runtime's own, by one way, so that tests can make it fail and count
   it. */
#ifndef RT_BASE_ALLOC_H
#define RT_BASE_ALLOC_H

#include "base/compiler.h"

/* Zeroed memory, aligned for any type; NULL if there is none. */
void *rt_alloc(size_t bytes) RT_NODISCARD;

/* The same with anything in it: for what writes all that it reads, and is made often. */
void *rt_alloc_raw(size_t bytes) RT_NODISCARD;

/* Zeroed memory, aligned to a cache line: for what has members that have to be. */
void *rt_alloc_lines(size_t bytes) RT_NODISCARD;

/* NULL is allowed. */
void rt_free(void *memory);

#endif
