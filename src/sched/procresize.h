/* SPDX-License-Identifier: MIT */
/* procresize: changes the number of Ps. The protocol is in procresize.c. */
#ifndef RT_SCHED_PROCRESIZE_H
#define RT_SCHED_PROCRESIZE_H

#include "base/compiler.h"
#include "sched/p.h"
#include <stdbool.h>

/* Called before the runtime runs. Makes the Ps. follows: the number follows the CPUs and
   the quota later. Returns 0 or -ENOMEM. */
int rt_procs_make(uint32_t procs, bool follows) RT_NODISCARD;

/* Frees the Ps, which no thread uses any more. */
void rt_procs_free(void);

/* Owner of p, which is bound to no M. Moves all that p has elsewhere and takes p out of
   use. Returns false if p is wanted again: the caller then still owns p, which is empty.
   Any thread, also in a signal handler. */
bool rt_procs_retire(struct rt_p *p);

/* The same for p that has just been put among the idle Ps, after it was counted there. Does
   nothing if another thread has claimed it: that thread will retire it. */
void rt_procs_retire_unused(struct rt_p *p);

/* Sysmon. rt_procs_follows() returns how often the number was set, or 0 if it does not
   follow the CPUs. rt_procs_follow() sets the number, unless it was set since. */
uint32_t rt_procs_follows(void);
void rt_procs_follow(uint32_t procs, uint32_t seen);

#endif
