/* SPDX-License-Identifier: MIT */
/* The mutex, for the objects that are built on it. */
#ifndef RT_SYNC_MUTEX_H
#define RT_SYNC_MUTEX_H

#include "base/compiler.h"
#include "sched/g.h"

#include <tuco/sync.h>

/* tuco_mutex_lock_until() for another object's sake: reason and pc are what a report
   shows. */
int rt_mutex_lock_until(tuco_mutex *m, int64_t deadline_ns, enum rt_wait_reason reason,
                        const void *pc);

/* tuco_mutex_unlock() for one who goes on to wait at once, or has others to wake: it does
   not yield to the one that it hands the lock to. */
void rt_mutex_unlock(tuco_mutex *m);

#endif
