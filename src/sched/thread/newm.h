/* SPDX-License-Identifier: MIT */
/* The starter: the thread that starts Ms while the runtime runs. */
#ifndef RT_SCHED_THREAD_NEWM_H
#define RT_SCHED_THREAD_NEWM_H

#include "base/compiler.h"

int rt_newm_start(void) RT_NODISCARD;

/* Requests its end, and waits for it. No effect if it does not run. */
void rt_newm_stop(void);

#endif
