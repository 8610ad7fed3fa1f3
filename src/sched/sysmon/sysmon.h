/* SPDX-License-Identifier: MIT */
/* Sysmon: a thread without a P that does what no M comes to. */
#ifndef RT_SCHED_SYSMON_SYSMON_H
#define RT_SCHED_SYSMON_SYSMON_H

#include "base/atomic.h"
#include "base/compiler.h"

int rt_sysmon_start(void) RT_NODISCARD;

/* Requests its end, and waits for it. */
void rt_sysmon_stop(void);

#endif
