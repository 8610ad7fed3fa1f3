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

/* Starts a thread that runs goroutines with p. -EAGAIN or -ENOMEM: the system, or
   max_threads, has no room; -ECANCELED: the runtime is ending. */
int rt_thread_start(struct rt_p *p) RT_NODISCARD;

/* The same for the first one, before the runtime runs. */
int rt_thread_start_first(struct rt_p *p) RT_NODISCARD;

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

#endif
