/* SPDX-License-Identifier: MIT */
/* Retaking Ps from threads that block, and preempting goroutines that compute. */
#ifndef RT_SCHED_SYSMON_RETAKE_H
#define RT_SCHED_SYSMON_RETAKE_H

#include <stdbool.h>
#include <stdint.h>

/* Before sysmon runs. */
void rt_retake_start(void);

/* Sysmon, at every look. Returns the latest time of the next look; OS_NEVER: it needs
   none. *took is set if a P has changed hands. */
int64_t rt_retake_look(int64_t now_ns, bool *took);

/* Sysmon. True if its last look saw announced calls: then it looks again soon. */
bool rt_retake_watches_calls(void);

/* Sysmon. True if a signal has stopped a goroutine in the last HOG_MS. */
bool rt_retake_has_hogs(int64_t now_ns);

#endif
