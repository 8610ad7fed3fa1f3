/* SPDX-License-Identifier: MIT */
/* What happens when nothing happens any more: the end that tuco_stop() waits for, or a
   deadlock. */
#ifndef RT_SCHED_QUIESCE_H
#define RT_SCHED_QUIESCE_H

#include "base/compiler.h"
#include <stdbool.h>
#include <stdint.h>

/* Called by whoever takes away the last thing that could happen: an M that goes to sleep,
   a foreign thread that leaves. Reports a deadlock, which ends the process, or wakes
   tuco_stop(). */
void rt_quiesce_check(void);

/* Waits until no goroutine is left. False: the deadline came first. */
bool rt_quiesce_wait(int64_t deadline_ns);

#endif
