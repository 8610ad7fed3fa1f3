/* SPDX-License-Identifier: MIT */
/* Ms: threads of the runtime, from start to end. */
#ifndef RT_SCHED_THREAD_THREAD_H
#define RT_SCHED_THREAD_THREAD_H

#include "base/compiler.h"
#include <stdbool.h>
#include <stdint.h>

struct rt_g;
struct rt_m;
struct rt_p;

/* Before any of the functions below: records the signal mask for all threads, and makes
   the process end with a report if a goroutine ends its thread. */
void rt_thread_prepare(void);

/* Starts a thread that runs goroutines, with the first P that wants one: see newm.c.
   Returns -EUSERS if there are max_threads, -EAGAIN or -ENOMEM if the system has no room,
   -ECANCELED if the runtime is ending. */
int rt_thread_start(void) RT_NODISCARD;

/* Starts the first thread, with p, before the runtime runs. */
int rt_thread_start_first(struct rt_p *p) RT_NODISCARD;

/* Ends the process: a thread is needed, and there are max_threads. */
_Noreturn void rt_thread_exhausted(void);

/* Makes the calling thread an M with p. NULL: no memory. rt_thread_dismiss() undoes
   it. */
struct rt_m *rt_thread_adopt(struct rt_p *p);
void rt_thread_dismiss(struct rt_m *m);

/* Waits until all other Ms have left their loop. The caller has set attention, so that
   none takes another goroutine. False: one has a goroutine that goes on computing, or
   sleeps in the kernel. */
bool rt_thread_wait_gone(void);

/* Joins all threads and buries their Ms, or detaches them. */
void rt_thread_join_all(void);
void rt_thread_detach_all(void);

/* Joins threads that ended before the runtime does. Destructors of the program may still
   run in such a thread and take their time. The starter does not wait for them (_try);
   the end of the runtime does, because they may call the library. */
void rt_thread_join_ended(void);
void rt_thread_try_join_ended(void);

/* True if there are such threads that have not been joined yet. They count against
   max_threads. */
bool rt_thread_any_ended(void);

/* Frees the memory of all Ms. None is in use. */
void rt_thread_free_all(void);

#endif
