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
#include "sched/gstatus.h"
#include <stdbool.h>
#include <tuco/go.h>

enum rt_wait_reason {
#define RT_WAIT_REASON(name, text) RT_WAIT_##name,
#include "sched/wait_reasons.def"
#undef RT_WAIT_REASON
    RT_WAIT_REASONS
};

/* The largest argument that tuco_go_copy() keeps in the descriptor. The goroutine copies it
   to its stack when it first runs. */
#define RT_INLINE_ARG_BYTES 96

/* The id of the main goroutine. */
#define RT_MAIN_ID 1

enum rt_gflags {
    RT_G_FLAG_COPY = 1,  /* the argument is the copy in inline_arg */
    RT_G_FLAG_NAMED = 4, /* name may not be empty */
    /* its first frame is below a large copied argument, not at the top of the stack */
    RT_G_FLAG_LOW_START = 8,
    /* the proxy of a waiting foreign thread, not a goroutine: see foreign.c */
    RT_G_FLAG_FOREIGN = 2,
    /* only lockedm may run it: see lockedm.h */
    RT_G_FLAG_LOCKEDM = 16,
    /* blocking, preempt_off or hog_until_ms may not be 0: its end resets them */
    RT_G_FLAG_RESET_AT_END = 32,
    /* its last announced blocking call did block: see entersyscall.c */
    RT_G_FLAG_BLOCKS = 64,
    /* it has yielded for something urgent since it was last woken: see rt_yield_asked() */
    RT_G_FLAG_AHEAD = 128,

    /* those that the waker of a G has to look at */
    RT_G_FLAGS_WOKEN = RT_G_FLAG_FOREIGN | RT_G_FLAG_LOCKEDM | RT_G_FLAG_AHEAD,
};

/* What a waker does after it has woken a goroutine: see 'Habits' in park.c. */
struct rt_habit {
    int8_t score : 4;     /* above 0: it goes on; the higher, the more certainly */
    uint8_t stops_in : 4; /* the period in which it was seen to stop soon; 0: none */
};

/* Periods are numbered from 1 to this, and again. */
#define RT_HABIT_PERIODS 15

struct rt_defer;
struct rt_waitq;

/* A waiter's record in one wait queue. Guard: the waiter until the record is in the queue;
   then the lock of the queue; then the waker that claimed it. See waitq.h. */
struct rt_waiter {
    struct rt_waiter *next;
    struct rt_waiter *prev;
    struct rt_waitq *queue; /* NULL: in no queue */
    struct rt_g *g;
    void *value;     /* where to copy the value from or to */
    uint32_t ticket; /* see 'Claim' in claim.h */
    int32_t result;  /* what the wait returns; written by the waker */
};

/*
 * The "holder" is the one thread that may change the goroutine's state, by the table in
 * gstatus.h: the spawner until it enqueues the G, then the M that dequeues it, the G itself
 * while it runs, and its waker. The queue or lock through which a G passes from one holder
 * to the next orders their accesses by release and acquire, so the holder's fields are not
 * atomic. Reports read them without any order and may show old values.
 *
 * Spawning writes the first two cache lines. Running and ending a goroutine that never
 * waits touches only the first.
 */
struct rt_g {
    /* slot.next: link in the one queue that the G is in; holder. slot.state: enum
       rt_gstatus; the holder writes it with rt_gstatus_set(), reports read it. */
    struct rt_gslot slot;

    /* Holder. */
    struct arch_context ctx; /* valid while it has a stack and does not run */
    tuco_fn *fn;
    union {
        void *arg; /* until it first runs */
        /* from then on: the lowest address a frame may use, NULL for g0; or the highest
           address there is, see rt_switch_low() */
        char *stack_low;
    };
    struct rt_stack *stack; /* NULL until it first runs; g0: the thread's own stack */
    int32_t saved_errno;
    uint8_t wait_reason;     /* enum rt_wait_reason */
    uint8_t flags;           /* enum rt_gflags */
    uint8_t stack_log2;      /* stack size */
    uint8_t copy_bytes;      /* size of the copy in inline_arg, with RT_G_FLAG_COPY */
    struct rt_defer *defers; /* innermost first; the G itself */

    /* Immutable from spawn to end. */
    uint64_t id;
    uint64_t creator_id;    /* 0: a foreign thread */
    const void *creator_pc; /* return address of the call to tuco_go() */

    /* Holder. */
    /* where the program called the wait: see 'Place' in park.h. Valid while waiting. */
    const void *wait_pc;

    union {
        /* Atomic: for the proxy of a foreign thread, see foreign.c. */
        rt_atomic(uint32_t) woken;
        /* Holder: 1 + id of the M that ran it last. Only with TUCODEBUG=migrate. */
        uint32_t last_m;
    };
    /* Its habit at the place where it woke a goroutine last; key 0: it has woken none
       beside an idle P. See 'Habits' in park.c. The spawner, then the G itself. */
    struct rt_habit habit;
    uint8_t habit_key;
    /* Atomic: until when it counts as one that computes for long, in milliseconds modulo
       65536; 0: it does not. Sysmon's hint, see 'Patience' in retake.c. */
    rt_atomic(uint16_t) hog_until_ms;

    struct rt_m *lockedm; /* valid with RT_G_FLAG_LOCKEDM. The G itself */

    /* The sanitizer's handle for the stack; NULL in other builds. The G itself, then the
       context that frees its stack. */
    void *san;

    /* Holder. */
    char name[TUCO_NAME_MAX + 1];

    /* Atomic: wakers compete for it, see 'Claim' in claim.h. Counts up, also when the
       descriptor is reused, and wraps around. */
    rt_atomic(uint32_t) claim;

    /* Atomic: nesting depth of announced blocking calls. Written by the G itself, read by
       sysmon. */
    rt_atomic(uint16_t) blocking;
    /* Atomic: nesting depth of disabled preemption. Written by the G itself, read by
       sysmon. */
    rt_atomic(uint16_t) preempt_off;

    /* The spawner until the G first runs, then the G itself. */
    union {
        char inline_arg[RT_INLINE_ARG_BYTES] __attribute__((aligned(16)));
        struct {
            struct rt_timer timer;   /* for its deadline */
            struct rt_waiter waiter; /* for a wait in one queue; on its own cache line */
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
    g->slot.next = (struct rt_gslot *)next; /* not &next->slot: next may be NULL */
}

/* Holder. Every change of the state of a published G goes through here. */
static inline void rt_gstatus_set(struct rt_g *g, enum rt_gstatus from,
                                  enum rt_gstatus to) {
    if (RT_CHECKS) {
        rt_gstatus_check(g, from, to);
    }
    /* relaxed: the queue or lock that g goes through next publishes it; reports may read
       an old value. */
    rt_store_rlx(&g->slot.state, (uint32_t)to);
}

#endif
