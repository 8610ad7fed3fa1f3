/* SPDX-License-Identifier: MIT */
/* TUCODEBUG=schedtrace=N: the state of the scheduler as one line. */
#ifndef RT_DEBUG_SCHEDTRACE_H
#define RT_DEBUG_SCHEDTRACE_H

/* Prints Go's schedtrace line to standard error. Takes no lock, so the numbers are not one
   snapshot. */
void rt_schedtrace_print(void);

#endif
