/* SPDX-License-Identifier: MIT */
/* The only way to the C library's allocator, so that tests can fail and count its
   calls. */
#ifndef RT_BASE_ALLOC_H
#define RT_BASE_ALLOC_H

/*
 * Not inside. ('Not inside') A goroutine that a signal has stopped may hold the C
 * library's allocator lock, and it resumes only when an M hands it a P: see preempt.c. So
 * code inside the runtime, the scheduler and sysmon neither allocate nor free. They get
 * their stacks, descriptors and queue chunks from the kernel. What they have to free they
 * push on a list; the next caller from outside frees it.
 */
#include "base/compiler.h"

/* Returns zeroed memory, aligned for any type, or NULL. */
void *rt_alloc(size_t bytes) RT_NODISCARD;

/* Without zeroing: for frequent callers that initialize all they read. */
void *rt_alloc_raw(size_t bytes) RT_NODISCARD;

/* Zeroed and aligned to a cache line, for structs with cache-aligned members. */
void *rt_alloc_lines(size_t bytes) RT_NODISCARD;

/* NULL is allowed. Frees the list of rt_free_later() as well. */
void rt_free(void *memory);

/* Pushes memory on the list; overwrites its first word. Callable anywhere; never
   waits. */
void rt_free_later(void *memory);

/* Frees the list of rt_free_later(). */
void rt_free_listed(void);

#endif
