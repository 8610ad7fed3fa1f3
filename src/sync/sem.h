/* SPDX-License-Identifier: MIT */
/* Internal semaphore operations, for the objects that are built on it. */
#ifndef RT_SYNC_SEM_H
#define RT_SYNC_SEM_H

#include "base/compiler.h"

#include <tuco/sync.h>

/* tuco_sem_acquire() with a deadline instead of a context. Returns 0, -EINVAL or
   -ETIMEDOUT. Reports show pc. */
int rt_sem_acquire_until(tuco_sem *s, int64_t n, int64_t deadline_ns, const void *pc)
    RT_NODISCARD;

#endif
