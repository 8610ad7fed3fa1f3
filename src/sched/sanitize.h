/* SPDX-License-Identifier: MIT */
/* Tells the sanitizers about goroutines, so that their reports are true. Nothing in other
   builds. */
#ifndef RT_SCHED_SANITIZE_H
#define RT_SCHED_SANITIZE_H

#include "sched/g.h"

#if RT_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#if RT_TSAN
#include <sanitizer/tsan_interface.h>
#endif

/* A goroutine may take over the stack of one that has just ended, without a switch. Not
   with sanitizers, to which a stack and who runs on it are one. */
#define RT_STACK_HANDOVER (!RT_ASAN && !RT_TSAN)

/* For functions that run between two goroutines, on the stack of the second: what they
   record would be booked to the first. */
#define RT_SAN_BETWEEN __attribute__((no_sanitize("thread")))

/* Before a switch. ends: from is not coming back. */
static inline void rt_san_leave(struct rt_g *from, const struct rt_g *to, bool ends) {
#if RT_ASAN
    __sanitizer_start_switch_fiber(ends ? NULL : &from->san, to->stack->low,
                                   rt_stack_bytes(to->stack));
#endif
    (void)from;
    (void)to;
    (void)ends;
}

/* After a switch, on the stack of self, which is about to go on. The thread sanitizer is
   told here and not before the switch, because a function that ends in a switch is booked
   as left only then. */
static inline RT_SAN_BETWEEN void rt_san_arrive(struct rt_g *self) {
#if RT_TSAN
    __tsan_switch_to_fiber(self->san, 0);
#endif
#if RT_ASAN
    __sanitizer_finish_switch_fiber(self->san, NULL, NULL);
#endif
    (void)self;
}

/* A goroutine has got its stack. */
static inline void rt_san_born(struct rt_g *g) {
    g->san = NULL;
#if RT_TSAN
    g->san = __tsan_create_fiber(0);
#endif
}

/* A goroutine has left its stack for good; called from another context. */
static inline void rt_san_gone(struct rt_g *g) {
#if RT_ASAN
    /* Frames that were left without returning have their surroundings still marked. */
    __asan_unpoison_memory_region(
        g->ctx.sp,
        (size_t)((char *)g->stack->low + rt_stack_bytes(g->stack) - (char *)g->ctx.sp));
#endif
#if RT_TSAN
    __tsan_destroy_fiber(g->san);
    g->san = NULL;
#endif
    (void)g;
}

/* The scheduler's own context on a thread. */
static inline void rt_san_thread(struct rt_g *g0) {
#if RT_TSAN
    g0->san = __tsan_get_current_fiber();
#endif
    (void)g0;
}

#endif
