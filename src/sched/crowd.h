/* SPDX-License-Identifier: MIT */
/* For how many threads that serve descriptors there are CPUs. The essay is in crowd.c. */
#ifndef RT_SCHED_CROWD_H
#define RT_SCHED_CROWD_H

#include "base/atomic.h"
#include "base/compiler.h"
#include "os/os.h"
#include <stdbool.h>
#include <stdint.h>

struct rt_m;

/* What an M has had of a CPU since a time at which it began to look. The thread itself. */
struct rt_crowd_watch {
    int64_t began_ns;       /* 0: it has not */
    struct os_usage before; /* what it had had by then */
    int64_t since_ns;       /* awake since then, */
    int64_t awake_ns;       /* and before that, for so long */
    uint64_t naps;          /* how often it was to sleep, having nothing to do */
    uint32_t busy;          /* how many Ps were busy at once, as far as it has seen */
};

#define RT_CROWD_NONE UINT32_MAX

/* Hints, all of them. */
extern struct rt_crowd {
    rt_atomic(uint32_t) limit;     /* so many there are CPUs for; RT_CROWD_NONE: any */
    rt_atomic(bool) untried;       /* so many have not had to wait yet */
    rt_atomic(int64_t) lowered_ns; /* when the limit was */
    rt_atomic(int64_t) until_ns;   /* when to try more */
    rt_atomic(int64_t) respite_ns; /* after how long, next time */
} rt_crowd RT_CACHE_ALIGNED;

/* True: for more than so many Ps that are busy there are no CPUs. A hint. */
static inline bool rt_crowded(uint32_t busy) {
    return unlikely(busy >= rt_load_rlx(&rt_crowd.limit)); /* relaxed: a hint */
}

/* Before any M is there. */
void rt_crowd_init(void);

/* m, between two goroutines, some of which wait for descriptors. */
void rt_crowd_look(struct rt_m *m, int64_t now_ns);

/* m has nothing to do; it is about to sleep in the kernel, perhaps more than once; it has
   something to do again. */
void rt_crowd_rest_begin(struct rt_m *m);
void rt_crowd_nap(struct rt_m *m);
void rt_crowd_rest_end(struct rt_m *m);

/* m, which has looked for long enough, had so much of a CPU in the time that it was
   awake. */
void rt_crowd_judge(const struct rt_m *m, int64_t now_ns, int64_t awake_ns,
                    int64_t cpu_ns);

#endif
