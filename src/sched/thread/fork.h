/* SPDX-License-Identifier: MIT */
/* Child processes of a program whose runtime runs. */
#ifndef RT_SCHED_THREAD_FORK_H
#define RT_SCHED_THREAD_FORK_H

/*
 * A child process has all of its parent's memory and one thread, the one that called
 * fork(). If the parent's runtime ran, the child has its queues and locks as they were at
 * that moment, and none of the threads that would go on with them. It may call exec or
 * _exit. If it calls the runtime, it ends with a message instead of waiting for ever. A
 * child that was forked while no runtime ran may start its own.
 *
 * A goroutine's thread notices at its next entry, by a bit in m->asked, which it reads
 * there in any case: see enter.h. Foreign threads enter by a slower path, where one more
 * load does not matter. A handler in the child sets both before fork() returns.
 */
#include "base/atomic.h"
#include "base/compiler.h"
#include <stdint.h>

/* Atomic: written by a child while it has one thread. */
RT_EXTERN struct rt_fork_state {
    rt_atomic(uint32_t) is_child; /* its parent's runtime ran */
    /* how many forks separate it from the first process */
    rt_atomic(uint32_t) generation;
} rt_fork_shared;

/* Differs between parent and child. In the child, the threads that were in a call do not
   exist. Counts from the first start of a runtime on. */
static inline uint32_t rt_fork_generation(void) {
    return rt_load_rlx(&rt_fork_shared.generation); /* relaxed: as in rt_fork_check() */
}

/* Ends the child, with a message. */
_Noreturn void rt_fork_die(void);

/* A thread without an M, before it touches anything of the runtime. */
static inline void rt_fork_check(void) {
    /* relaxed: written by this thread, or before it was started */
    if (unlikely(rt_load_rlx(&rt_fork_shared.is_child) != 0)) {
        rt_fork_die();
    }
}

/* Before the runtime runs: installs the handler that marks children. */
int rt_fork_start(void) RT_NODISCARD;

#endif
