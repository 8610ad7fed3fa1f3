/* SPDX-License-Identifier: MIT */
/* The scheduler's loop. */
#ifndef RT_SCHED_LOOP_H
#define RT_SCHED_LOOP_H

#include <stdbool.h>

struct rt_g;
struct rt_m;

/* Runs goroutines on m, whose own stack this is, until the runtime ends. The first one
   may be given; else NULL. */
bool rt_loop(struct rt_m *m, struct rt_g *first);

#endif
