/* SPDX-License-Identifier: MIT */
/* Child processes of a program whose runtime runs. */
#ifndef RT_SCHED_FORK_H
#define RT_SCHED_FORK_H

/*
 * A child has all of its parent's memory and one thread, the one that called fork(). Of a
 * runtime that ran then it has the queues and the locks as they were in that moment, and
 * nobody who would ever go on with them. It may call exec, or leave; if it asks anything of
 * the runtime it is told so, instead of waiting for ever. A child that was forked while
 * none ran may start its own.
 *
 * A goroutine's thread finds out at its next entry, by a bit that is looked at there in any
 * case: enter.h. Other threads enter by a way on which one more look does not count. Both
 * do so by what the child's first act has left: it comes before fork() returns.
 */
#include "base/atomic.h"
#include "base/compiler.h"
#include <stdint.h>

/* Atomic: written by a child, before there is anybody else. */
extern struct rt_fork_state {
    rt_atomic(uint32_t) is_child; /* of a process whose runtime ran */
} rt_fork_shared;

/* Ends the child, with a message. */
_Noreturn void rt_fork_die(void);

/* Whoever has no M, before it touches anything of the runtime. */
static inline void rt_fork_check(void) {
    /* relaxed: written by this thread, or before it was started */
    if (unlikely(rt_load_rlx(&rt_fork_shared.is_child) != 0)) {
        rt_fork_die();
    }
}

/* Before the runtime runs: from here on children are noticed. */
int rt_fork_start(void) RT_NODISCARD;

#endif
