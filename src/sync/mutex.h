/* SPDX-License-Identifier: MIT */
/* Internal mutex operations, for the condition variable and the readers-writer lock. */
#ifndef RT_SYNC_MUTEX_H
#define RT_SYNC_MUTEX_H

#include "base/compiler.h"
#include "sched/g.h"

#include <tuco/sync.h>

/* tuco_mutex_lock_until() on behalf of another object: reports show reason and pc. */
int rt_mutex_lock_until(tuco_mutex *m, int64_t deadline_ns, enum rt_wait_reason reason,
                        const void *pc);

/* tuco_mutex_unlock() for a caller that waits next or has other goroutines to wake: it does
   not yield to a waiter that it hands the lock to. */
void rt_mutex_unlock(tuco_mutex *m);

#endif
