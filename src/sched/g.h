/* SPDX-License-Identifier: MIT */
/* G: one goroutine. */
#ifndef RT_SCHED_G_H
#define RT_SCHED_G_H

#include "arch/arch.h"
#include "base/atomic.h"
#include "base/compiler.h"
#include "base/wheel.h"
#include "mem/gpool.h"
#include "mem/stack.h"
#include "sched/gstate.h"
#include <stdbool.h>
#include <tuco/go.h>

enum rt_wait_reason {
#define RT_WAIT_REASON(name, text) RT_WAIT_##name,
#include "sched/wait_reasons.def"
#undef RT_WAIT_REASON
    RT_WAIT_REASONS
};

/* What tuco_go_copy() keeps in the descriptor until the goroutine has a stack to copy it
   to. */
#define RT_INLINE_ARG_BYTES 96

/* The number of the main goroutine. */
#define RT_MAIN_ID 1

enum rt_gflags {
    RT_G_FLAG_COPY = 1,  /* arg is the copy in inline_arg */
    RT_G_FLAG_NAMED = 4, /* name is not empty */
    /* its first frame is below a large copy, not at the top of the stack */
    RT_G_FLAG_LOW_START = 8,
    /* stands for a thread that waits, not for a goroutine: see foreign.c */
    RT_G_FLAG_FOREIGN = 2,
    /* runs on bound_m only: see bound.h */
    RT_G_FLAG_BOUND = 16,
    /* blocking or preempt_off may not be 0 */
    RT_G_FLAG_ODD = 32,
    /* the last call that it announced to block did: see block.c */
    RT_G_FLAG_BLOCKS = 64,

    /* with one of these it goes to no run queue when it becomes runnable */
    RT_G_FLAGS_UNQUEUED = RT_G_FLAG_FOREIGN | RT_G_FLAG_BOUND,
};

struct rt_defer;
struct rt_waitq;

/* One who waits in one queue. Its own until it is in the queue; then under the queue's
   lock; then its waker's. See wait.h. */
struct rt_waiter {
    struct rt_waiter *next;
    struct rt_waiter *prev;
    struct rt_waitq *queue; /* NULL: it is in none */
    struct rt_g *g;
    void *value;     /* where the value is that is passed on, or where it goes */
    uint32_t ticket; /* see 'Claim' in wait.h */
    int32_t result;  /* what the wait returns; the waker's */
};

/*
 * "Holder" is whoever may move the goroutine on, by the table in gstate.h: the spawner
 * until it is queued, the queue's consumer, the goroutine itself while it runs, its
 * waker. Passing it on is a release and taking it an acquire, by the queue or lock that
 * it passes through; so the fields need no atomics of their own. Reports read them all
 * the same: what they then show may be a moment old.
 *
 * Spawning touches the first two cache lines; running and ending a goroutine that does
 * not wait, the first.
 */
struct rt_g {
    /* slot.next: link of the one queue that it is in; the holder's. slot.state: enum
       rt_gstate, written by the holder through rt_gstate_set(), read by reports. */
    struct rt_gslot slot;

    /* Holder. */
    struct arch_context ctx; /* valid while it has a stack and is not running */
    tuco_fn *fn;
    void *arg;
    struct rt_stack *stack; /* NULL until it first runs; g0: describes the thread's own */
    int32_t saved_errno;
    uint8_t wait_reason;     /* enum rt_wait_reason */
    uint8_t flags;           /* enum rt_gflags */
    uint8_t stack_log2;      /* the size it wants */
    uint8_t copy_bytes;      /* of inline_arg, with RT_G_FLAG_COPY */
    struct rt_defer *defers; /* itself */

    /* Immutable from spawn to end. */
    uint64_t id;
    uint64_t creator_id;    /* 0: a foreign thread */
    const void *creator_pc; /* where tuco_go was called */

    /* Itself. */
    const void *wait_pc; /* where it called what it waits in; valid while waiting */

    /* Atomic: foreign threads only, see foreign.c. */
    rt_atomic(uint32_t) woken;
    /* number + 1 of the M that ran it last; kept with TUCODEBUG=migrate only */
    uint32_t last_m;

    struct rt_m *bound_m; /* with RT_G_FLAG_BOUND. Itself */

    /* The sanitizer's view of the stack; NULL in other builds. Itself, and who ends
       it. */
    void *san;

    /* Holder. */
    char name[TUCO_NAME_MAX + 1];

    /* Atomic: who wakes it, see 'Claim' in wait.h. Goes up for as long as the descriptor
       exists. */
    rt_atomic(uint32_t) claim;

    /* Atomic: how deep it is in calls that it has announced to block. Itself; read by the
       monitor. */
    rt_atomic(uint16_t) blocking;
    /* Itself. */
    uint16_t preempt_off; /* how often it has asked not to be interrupted */

    /* Holder: before it first runs, and then itself. */
    union {
        char inline_arg[RT_INLINE_ARG_BYTES] __attribute__((aligned(16)));
        struct {
            struct rt_timer timer;   /* its deadline */
            struct rt_waiter waiter; /* for waits in one queue; a cache line of its own */
        };
    };
};

_Static_assert(sizeof(struct rt_g) == RT_GSLOT_BYTES, "a descriptor fills its slot");
_Static_assert(offsetof(struct rt_g, slot) == 0, "a slot is a descriptor");
_Static_assert(offsetof(struct rt_g, inline_arg) == RT_GSLOT_SPARE_OFFSET,
               "the spare bytes");
_Static_assert(offsetof(struct rt_g, id) == RT_CACHE_LINE_BYTES, "the hot line");

static inline struct rt_g *rt_g_of(struct rt_gslot *s) {
    return (struct rt_g *)s;
}

static inline struct rt_g *rt_g_next(const struct rt_g *g) {
    return rt_g_of(g->slot.next);
}

static inline void rt_g_link(struct rt_g *g, struct rt_g *next) {
    g->slot.next = (struct rt_gslot *)next; /* not &next->slot: it may be NULL */
}

/* Every change of state, but for a slot that is taken into use: that is set to dead. The
   caller is the holder. */
static inline void rt_gstate_set(struct rt_g *g, enum rt_gstate from, enum rt_gstate to) {
    if (RT_CHECKS) {
        rt_gstate_check(g, from, to);
    }
    /* relaxed: the holder passes g on by a release of its own; reports may see it
       late. */
    rt_store_rlx(&g->slot.state, (uint32_t)to);
}

#endif
