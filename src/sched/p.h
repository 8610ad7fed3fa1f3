/* SPDX-License-Identifier: MIT */
/* P: the right to run goroutines, and what comes with it: a queue, caches, counters. */
#ifndef RT_SCHED_P_H
#define RT_SCHED_P_H

#include "base/atomic.h"
#include "base/compiler.h"
#include "base/wheel.h"
#include "mem/blocks.h"
#include "mem/gpool.h"
#include "mem/stack.h"
#include "sched/runq.h"

struct rt_m;
struct rt_timers;

#define RT_PROCS_MAX 1024

/* Every 61st scheduling looks at the global queue first: a prime, so that it does not
   beat in time with a program's own patterns. Go's number. */
#define RT_GLOBAL_INTERVAL 61

enum rt_attention {
    RT_ATTENTION_STOP = 1, /* run no more goroutines: the runtime ends */
    /* the slice is over: the ring comes before the next slot once */
    RT_ATTENTION_SLICE = 2,
    /* a timer is due: the owner goes to the scheduler, which fires it */
    RT_ATTENTION_TIMERS = 4,
    /* goroutines wait that only other Ms may run: the scheduler looks for them first */
    RT_ATTENTION_BOUND = 8,
    /* the owner is wired to its goroutine, and runs no other: see bound.h */
    RT_ATTENTION_LOCKED = 16,
    /* there are more Ps than wanted: the owner gives this one up, see procs.c */
    RT_ATTENTION_RETIRE = 32,
    /* nobody has polled for long, or somebody has, and found what has waited for long:
       the scheduler looks there and into the global queue first */
    RT_ATTENTION_POLL = 64,

    /* with one of these set no goroutine is switched to directly */
    RT_ATTENTION_SCHEDULER = RT_ATTENTION_STOP | RT_ATTENTION_TIMERS |
                             RT_ATTENTION_BOUND | RT_ATTENTION_LOCKED |
                             RT_ATTENTION_RETIRE | RT_ATTENTION_POLL,
};

/* What the scheduler has to know of a wheel of timers. Written under the wheel's lock,
   see 'Clocks' in time/timer.c. */
struct rt_clock {
    rt_atomic(int64_t) next_ns; /* when the first is due; RT_WHEEL_NEVER: there is none */
    rt_atomic(uint32_t) firings; /* how often some were taken out because they were due */
};

/* When bound goroutines have their turn: after so many slices. */
struct rt_turn {
    uint32_t from; /* the schedtick of then */
    uint32_t slices;
};

/* How long goroutines take: see 'Waking others' in poll.c. */
struct rt_pace {
    int64_t since_ns; /* measured from then on; 0: not at all */
    uint32_t slices;  /* how many had come from the ring by then */
    int64_t each_ns;  /* on the average; 0: not known */
    int64_t full_ns;  /* since when the ring has been full at each look; 0: it was not */
};

struct rt_p {
    struct rt_runq runq; /* its own rules: runq.h */

    /* Atomic: the M that holds the P, or sleeps with it; NULL: it is idle without one, or
       on its way. Written by who has the P in his hands. */
    rt_atomic(struct rt_m *) m RT_CACHE_ALIGNED;

    /* Owner: the M that holds the P; passed on through the idle word, see idle.c. */
    struct rt_gcache gcache;
    /* since when it needs an M, because its own had to leave it: see starter.c; 0: it
       does not */
    int64_t left_ns;
    int left_looks; /* how often the starter has found no thread for it since */
    struct rt_turn bound_turn; /* see bound.h */
    struct rt_pace pace;
    uint32_t poll_countdown; /* waits for descriptors until the clock is looked at */
    /* schedulings until the global queue is looked at first */
    uint32_t global_countdown;
    /* goroutine numbers reserved for this P: [id_next, id_end) */
    uint64_t id_next;
    uint64_t id_end;

    /* Atomic: written by the owner without contention, read by reports, the monitor and
       thieves. */
    rt_atomic(uint32_t) schedtick; /* slices begun */
    rt_atomic(uint32_t) nexttick;  /* goroutines that ran on an inherited slice */
    rt_atomic(uint64_t) spawned;
    rt_atomic(uint64_t) ended;
    rt_atomic(uint64_t) polls_begun; /* waits for descriptors */
    rt_atomic(uint64_t) polls_ended;
    rt_atomic(int) cpu; /* where the owner was seen last: a hint for thieves */

    /* Atomic: of its own timers. Only the owner makes the time earlier. */
    struct rt_clock clock;

    /* Atomic: set by whoever wants the owner to leave the fast path; enum
       rt_attention. */
    rt_atomic(uint32_t) attention;

    /* The lock in procs.c. */
    bool retired; /* it is not in use */

    /* Immutable. */
    uint32_t id;
    struct rt_timers *timers; /* its own rules: time/timer.h */

    /* Owner. */
    struct rt_stack_cache stacks;
    struct rt_block_cache blocks;
};

/* Whether a timer is armed, or due. relaxed, both: only the owner makes the time earlier,
   so who has the P in his hands overlooks none; for others a hint, unlike
   rt_sched_timers_armed(). */
static inline bool rt_clock_is_armed(const struct rt_clock *clock) {
    return rt_load_rlx(&clock->next_ns) != RT_WHEEL_NEVER;
}

static inline bool rt_clock_is_due(const struct rt_clock *clock, int64_t now_ns) {
    return rt_load_rlx(&clock->next_ns) <= now_ns;
}

/* Owner. Whether the P keeps anything for quick reuse. */
static inline bool rt_p_has_caches(const struct rt_p *p) {
    return p->stacks.count > 0 || p->gcache.count > 0 || p->blocks.count > 0;
}

/* Owner. Whatever the P keeps for quick reuse goes back to where others, and in the end
   the kernel, can have it. */
static inline void rt_p_flush_caches(struct rt_p *p) {
    rt_stack_flush(&p->stacks);
    rt_gpool_flush(&p->gcache);
    rt_block_flush(&p->blocks);
}

/* Adds one to a counter that only the owner writes. release: whoever sees the end of a
   goroutine counted sees its start counted as well. Pairs with the acquire in
   rt_sched_live(); the other counters do not need it. */
#define rt_p_count(counter) rt_store_rel(counter, rt_load_rlx(counter) + 1)

/* Schedulings of any kind, to tell whether a P has moved on between two looks. */
static inline uint32_t rt_p_switches(const struct rt_p *p) {
    /* relaxed: compared with an older value, nothing hangs on it. */
    return rt_load_rlx(&p->schedtick) + rt_load_rlx(&p->nexttick);
}

#endif
