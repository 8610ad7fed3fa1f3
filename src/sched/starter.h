/* SPDX-License-Identifier: MIT */
/* The thread that starts all others. */
#ifndef RT_SCHED_STARTER_H
#define RT_SCHED_STARTER_H

#include "base/compiler.h"
#include <stdbool.h>
#include <stdint.h>

/* How long goroutines may wait for a P that has no thread, or one that sleeps in the kernel,
   before it counts that no other thread may be started. */
#define RT_STUCK_NS ((int64_t)1000 * 1000 * 1000)

int rt_starter_start(void) RT_NODISCARD;

/* Asks it to end, and waits for that; nothing if it does not run. */
void rt_starter_stop(void);

/* A P wants a thread: rt_idle_take_wanted(). Any thread; a signal handler as well. */
void rt_starter_wake(void);

/* A thread that it has started has begun, and taken a P if one wanted it. */
void rt_starter_arrived(void);

/* One more spare M is wanted, if there is none; needed: a thread sleeps in the kernel with a
   P that others wait for. If there are max_threads then, rt_thread_exhausted() ends the
   process; if the system has no room, whoever wants one has to ask again. */
void rt_starter_want_spare(bool needed);

#endif
