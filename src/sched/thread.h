/* SPDX-License-Identifier: MIT */
/* Ms: threads of the runtime, from start to end. */
#ifndef RT_SCHED_THREAD_H
#define RT_SCHED_THREAD_H

#include "base/compiler.h"
#include <stdbool.h>
#include <stdint.h>

struct rt_g;
struct rt_m;
struct rt_p;

/* Starts a thread that runs goroutines, with the first P that wants one: see starter.c.
   -EUSERS: there are max_threads; -EAGAIN or -ENOMEM: the system has no room; -ECANCELED:
   the runtime is ending. */
int rt_thread_start(void) RT_NODISCARD;

/* The same for the first one, with p, before the runtime runs. */
int rt_thread_start_first(struct rt_p *p) RT_NODISCARD;

/* Ends the process: a thread is needed, and there are max_threads. */
_Noreturn void rt_thread_exhausted(void);

/* Makes the calling thread an M with p. NULL: no memory. Undone by
   rt_thread_dismiss(). */
struct rt_m *rt_thread_adopt(struct rt_p *p);
void rt_thread_dismiss(struct rt_m *m);

/* Waits until all other Ms have left their loop. Attention has been set, so that none
   takes another goroutine. False: one has a goroutine that goes on computing, or waits in
   the kernel. */
bool rt_thread_wait_gone(void);

/* Joins all threads, or lets them go without waiting for them; frees the Ms if joined. */
void rt_thread_join_all(void);
void rt_thread_detach_all(void);

/* Joins those that ended before the runtime does. What the program has left to do at the
   end of a thread, destructors of thread-specific data, may take its time: the starter does
   not wait for that, and the end of the runtime does, because they are the program's and
   may call the library. */
void rt_thread_join_ended(void);
void rt_thread_try_join_ended(void);

/* True if there are such that have not been joined yet. They count against max_threads. */
bool rt_thread_any_ended(void);

/* Frees what is left of all Ms, none of which is in use. */
void rt_thread_free_all(void);

#endif
