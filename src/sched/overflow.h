/* SPDX-License-Identifier: MIT */
/* What a goroutine sees that uses more stack than it has: a report, and the end. */
#ifndef RT_SCHED_OVERFLOW_H
#define RT_SCHED_OVERFLOW_H

#include "base/compiler.h"

/* Watches for accesses to guards, until removed. */
int rt_overflow_watch(void) RT_NODISCARD;
void rt_overflow_unwatch(void);

#endif
