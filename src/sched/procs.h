/* SPDX-License-Identifier: MIT */
/* How many Ps there are, and how that changes. The essay is in procs.c. */
#ifndef RT_SCHED_PROCS_H
#define RT_SCHED_PROCS_H

#include "base/compiler.h"
#include "sched/p.h"
#include <stdbool.h>

/* Makes so many Ps, before the runtime runs; follows: the number is to follow the CPUs and
   the quota. -ENOMEM. */
int rt_procs_make(uint32_t procs, bool follows) RT_NODISCARD;

/* Frees them: nobody uses them any more. */
void rt_procs_free(void);

/* True if p is one too many. A hint: rt_procs_retire() decides. */
static inline bool rt_procs_is_leaving(const struct rt_p *p) {
    /* relaxed: who sees it later acts later */
    return (rt_load_rlx(&p->attention) & RT_ATTENTION_RETIRE) != 0;
}

/* p, which is in the caller's hands, is one too many: what lies there goes to others, and
   p is out of use. False: it is wanted again, and still in the caller's hands, empty. Any
   thread; a signal handler as well. */
bool rt_procs_retire(struct rt_p *p);

/* The same if p has just been put where nobody uses it; not if somebody has taken it from
   there, who will come to it. After p was counted there. */
void rt_procs_retire_unused(struct rt_p *p);

/* Monitor. How often the number has been set, and what to set it to, unless it has been
   set since or is not to follow. 0: it does not follow. */
uint32_t rt_procs_follows(void);
void rt_procs_follow(uint32_t procs, uint32_t seen);

/* What the number is by default, from what src/cpu says, which may be an error; 0: as
   before. */
uint32_t rt_procs_by_default(int told);

#endif
