/* SPDX-License-Identifier: MIT */
/* Taking Ps from threads that block, and making goroutines that compute give way. */
#ifndef RT_SCHED_RETAKE_H
#define RT_SCHED_RETAKE_H

#include "base/compiler.h"
#include <stdbool.h>
#include <stdint.h>

int rt_retake_start(void) RT_NODISCARD;
void rt_retake_stop(void);

/* Monitor, at every look. Returns when it wants to look again, at the latest: now_ns plus
   some; OS_NEVER: whenever others do. *took: a P has changed hands. */
int64_t rt_retake_look(int64_t now_ns, bool *took);

/* Monitor. Whether it has just seen calls that were announced to block: then it comes soon
   enough by itself. */
bool rt_retake_watches_calls(void);

#endif
