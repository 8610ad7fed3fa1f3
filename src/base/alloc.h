/* SPDX-License-Identifier: MIT */
/* Memory of the C library, by one way, so that tests can make it fail and count it. */
#ifndef RT_BASE_ALLOC_H
#define RT_BASE_ALLOC_H

/*
 * Not inside. ('Not inside') The C library's lock may be held by a goroutine that a signal
 * has stopped, and that goes on only when somebody gives it a P: see preempt.c. So nobody
 * inside the runtime, nor a scheduler, nor the monitor, allocates or frees. What they need
 * themselves, stacks, descriptors and chunks of a queue, they have from the kernel; what
 * has to be freed there is put on a list, and freed by who comes next from outside.
 */
#include "base/compiler.h"

/* Zeroed memory, aligned for any type; NULL if there is none. */
void *rt_alloc(size_t bytes) RT_NODISCARD;

/* The same with anything in it: for what writes all that it reads, and is made often. */
void *rt_alloc_raw(size_t bytes) RT_NODISCARD;

/* Zeroed memory, aligned to a cache line: for what has members that have to be. */
void *rt_alloc_lines(size_t bytes) RT_NODISCARD;

/* NULL is allowed. Frees as well what is on the list. */
void rt_free(void *memory);

/* Puts it on the list, its first word being the link. Anywhere, without waiting. */
void rt_free_later(void *memory);

/* Frees what is on the list. */
void rt_free_listed(void);

#endif
