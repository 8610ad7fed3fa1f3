/* SPDX-License-Identifier: MIT */
/* How an M with nothing to do sleeps with its P. */
#ifndef RT_SCHED_THREAD_STOPM_H
#define RT_SCHED_THREAD_STOPM_H

#include <stdbool.h>

struct rt_m;

/* M has found nothing: it sleeps until it is woken to search again. False: the runtime
   ends. */
bool rt_stopm(struct rt_m *m);

#endif
