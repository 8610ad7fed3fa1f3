/* SPDX-License-Identifier: MIT */
/* checkdead: reports a deadlock, or wakes tuco_stop(), when nothing can happen any more. */
#ifndef RT_SCHED_DEADLOCK_H
#define RT_SCHED_DEADLOCK_H

#include "base/compiler.h"
#include <stdbool.h>
#include <stdint.h>

struct rt_p;

/* Called by every thread that may have removed the last thing that could happen, such as an
   M that goes to sleep or a foreign thread that leaves. Reports a deadlock and ends the
   process, or wakes tuco_stop(). */
void rt_checkdead(void);

/* The same for an M that goes to sleep with p. Looks at p's timers and descriptors first:
   these most likely rule out a deadlock, in constant time. */
void rt_checkdead_after(const struct rt_p *p);

/* Waits until no goroutine is left. Returns false if the deadline passes first. */
bool rt_deadlock_wait(int64_t deadline_ns);

/* Sysmon. When to check again whether all goroutines are asleep for good (OS_NEVER: never),
   and the check. */
int64_t rt_deadlock_look_ns(void);
void rt_deadlock_look(int64_t now_ns);

/* Declares count threads of the program that never wake a goroutine, such as a watchdog
   of a test. */
void rt_deadlock_ignore_threads(int count);

/* Called before the runtime runs. */
void rt_deadlock_reset(void);

#endif
