/* SPDX-License-Identifier: MIT */
/* TUCODEBUG=schedtrace=N: the state of the scheduler as one line. */
#ifndef RT_SCHED_SCHEDTRACE_H
#define RT_SCHED_SCHEDTRACE_H

/* Prints Go's line to standard error. Takes no lock: the numbers are of about the same
   time. */
void rt_schedtrace_print(void);

#endif
