/* SPDX-License-Identifier: MIT */
/* Annotations that report goroutines to the sanitizers, so that their findings are
   correct. Empty in other builds. */
#ifndef RT_DEBUG_SANITIZE_H
#define RT_DEBUG_SANITIZE_H

#include "base/race.h"
#include "os/os.h"
#include "sched/g.h"

#if RT_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#include <sanitizer/lsan_interface.h>
#endif
#if RT_TSAN
#include <sanitizer/tsan_interface.h>
#endif

/* Whether a new goroutine may take over the stack of one that has just ended, without a
   switch. Not with sanitizers, which identify a goroutine with its stack. */
#define RT_STACK_HANDOVER (!RT_ASAN && !RT_TSAN)

/* For functions that run between two goroutines, on the stack of the second:
   ThreadSanitizer would attribute their accesses to the first. */
#define RT_SAN_BETWEEN __attribute__((no_sanitize("thread")))

/* The usable part of a stack: above its guard. */
static inline char *rt_san_usable(const struct rt_stack *s) {
    return s->low + RT_STACK_GUARD_BYTES;
}

static inline size_t rt_san_usable_bytes(const struct rt_stack *s) {
    return rt_stack_bytes(s) - RT_STACK_GUARD_BYTES;
}

/* Called before a switch. ends: from does not resume. */
static inline void rt_san_leave(struct rt_g *from, const struct rt_g *to, bool ends) {
#if RT_ASAN
    __sanitizer_start_switch_fiber(ends ? NULL : &from->san, to->stack->low,
                                   rt_stack_bytes(to->stack));
#endif
    (void)from;
    (void)to;
    (void)ends;
}

/* Called after a switch, on the stack of self, which is about to resume. ThreadSanitizer
   is informed here and not before the switch: a function that ends in a switch counts as
   returned only then. */
static inline RT_SAN_BETWEEN void rt_san_arrive(struct rt_g *self) {
#if RT_TSAN
    __tsan_switch_to_fiber(self->san, RT_RACE ? __tsan_switch_to_fiber_no_sync : 0);
#endif
#if RT_ASAN
    __sanitizer_finish_switch_fiber(self->san, NULL, NULL);
#endif
    (void)self;
}

/* Called after a switch, around the commit function. See race.h: the commit must not be
   attributed to the goroutine that was left, which may already run elsewhere, nor to the
   new one, on whose stack it runs. So it is attributed to g0, and its memory accesses are
   ignored. */
static inline RT_SAN_BETWEEN void rt_san_between_begin(const struct rt_g *g0) {
#if RT_RACE
    __tsan_switch_to_fiber(g0->san, __tsan_switch_to_fiber_no_sync);
    rt_race_ignore_begin();
#endif
    (void)g0;
}

static inline RT_SAN_BETWEEN void rt_san_between_end(void) {
    rt_race_ignore_end();
}

#if RT_RACE
/* Creates a fiber that is ordered after no goroutine, on a stack without history. The
   sanitizer orders a new fiber after its creator, so g0 creates it. */
static inline void *rt_san_fiber(const struct rt_g *g, const struct rt_g *g0) {
    void *self = __tsan_get_current_fiber();
    os_renew(rt_san_usable(g->stack), rt_san_usable_bytes(g->stack));
    if (g0 != NULL) {
        __tsan_switch_to_fiber(g0->san, __tsan_switch_to_fiber_no_sync);
    }
    void *fiber = __tsan_create_fiber(0);
    if (g0 != NULL) {
        __tsan_switch_to_fiber(self, __tsan_switch_to_fiber_no_sync);
    }
    return fiber;
}
#else
static inline void *rt_san_fiber(const struct rt_g *g, const struct rt_g *g0) {
    (void)g;
    (void)g0;
#if RT_TSAN
    return __tsan_create_fiber(0);
#else
    return NULL;
#endif
}
#endif

/* Orders what the creator or waker of g did before what g does. A store and not a release:
   that would also order earlier goroutines of this descriptor before g. The word is any
   that only the caller may write; it keeps its value. */
static inline void rt_race_hand_over(struct rt_g *g) {
#if RT_RACE
    __tsan_atomic64_store(&g->wait_pc, (intptr_t)g->wait_pc, RT_RACE_STORE);
#endif
    (void)g;
}

/* The other half, called by g when it resumes. */
static inline void rt_race_take_over(struct rt_g *g) {
#if RT_RACE
    (void)__tsan_atomic64_load(&g->wait_pc, RT_RACE_LOAD);
#endif
    (void)g;
}

/* Called when a goroutine has got its stack. g0: of the calling thread; NULL: a foreign
   thread. Registers the stack with LeakSanitizer, which by itself scans the stacks of
   threads only, so that memory to which only that stack points is not reported. */
static inline void rt_san_born(struct rt_g *g, const struct rt_g *g0) {
    g->san = rt_san_fiber(g, g0);
#if RT_ASAN
    __lsan_register_root_region(rt_san_usable(g->stack), rt_san_usable_bytes(g->stack));
#endif
}

/* Called when a goroutine has left its stack for good, from another context. */
static inline void rt_san_gone(struct rt_g *g) {
#if RT_ASAN
    __lsan_unregister_root_region(rt_san_usable(g->stack), rt_san_usable_bytes(g->stack));
    /* Frames that were left without returning are still poisoned. */
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

/* Records the fiber of a thread's scheduler context. */
static inline void rt_san_thread(struct rt_g *g0) {
#if RT_TSAN
    g0->san = __tsan_get_current_fiber();
#endif
    (void)g0;
}

#endif
